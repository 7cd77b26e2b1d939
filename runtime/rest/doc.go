// Package rest calls HTTP APIs for the handlers that mcpgen generates from OpenAPI documents.
//
// An [Operation] says how the arguments of a tool become a request: which member is which
// parameter, how its value is written ("Style Values" of OpenAPI), and what is in the body. A
// [Client] sends the request and limits the answer. [Call] decodes a JSON answer into the
// structured result of a tool, and [CallContent] returns any answer as content blocks.
//
// The package does not read OpenAPI documents; mcpgen does when it generates code.
package rest

// RestV1 is true while this package is compatible with code generated for its first version.
// Generated code refers to it, so that a mismatch does not compile.
const RestV1 = true

// Operation is an operation of an HTTP API.
type Operation struct {
	Method string
	// Path is the path below the server, with {name} for parameters.
	Path string
	// Server is the URL that the document gives, or "" if it gives none that can be called.
	Server     string
	Parameters []Parameter
	// Body is nil if requests have none.
	Body *Body
	// Accept is the value of the header Accept, or "".
	Accept string
	// Wrapped means that the answer is the member "result" of the structured result, because it
	// need not be an object.
	Wrapped bool
	// Security lists the alternatives of credentials, each of which is a list of schemes that are
	// used together. An empty alternative means that requests without credentials are allowed.
	Security [][]Scheme
}

// Place is where a parameter is in a request.
type Place string

// The places of parameters.
const (
	Path   Place = "path"
	Query  Place = "query"
	Header Place = "header"
	Cookie Place = "cookie"
)

// Style is how a value is written.
type Style string

// The styles of OpenAPI, and JSON for parameters whose value is a JSON text.
const (
	Simple         Style = "simple"
	Label          Style = "label"
	Matrix         Style = "matrix"
	Form           Style = "form"
	SpaceDelimited Style = "spaceDelimited"
	PipeDelimited  Style = "pipeDelimited"
	DeepObject     Style = "deepObject"
	JSON           Style = "json"
)

// Parameter is a member of the arguments that is sent outside of the body.
type Parameter struct {
	// Member is the name in the arguments, Name that in the request.
	Member, Name string
	In           Place
	Style        Style
	// Explode writes each element of an array, and each member of an object, separately.
	Explode bool
	// Reserved leaves the characters of URLs unescaped that do not delimit a query.
	Reserved bool
}

// Encoding is how a body is written.
type Encoding string

// The encodings of bodies.
const (
	JSONBody      Encoding = "json"
	FormBody      Encoding = "form"      // application/x-www-form-urlencoded
	MultipartBody Encoding = "multipart" // multipart/form-data
	TextBody      Encoding = "text"      // a string as it is
	BinaryBody    Encoding = "binary"    // a string with base64
)

// Body is the member of the arguments that is sent as the body.
type Body struct {
	Member    string
	MediaType string
	Encoding  Encoding
	// Fields describe members of a form that are not written in the default way.
	Fields []Field
}

// Field is a member of a form.
type Field struct {
	Name string
	// Style is "" for the default: scalars as text, the elements of arrays each on their own, and
	// objects as JSON. In multipart/form-data, a style joins the elements of arrays unless Explode is
	// true.
	Style    Style
	Explode  bool
	Reserved bool
	// MediaType is the Content-Type of a part of multipart/form-data, or "" for the default.
	MediaType string
	// Base64 means that the value is binary, and its text in the arguments is base64.
	Base64 bool
}
