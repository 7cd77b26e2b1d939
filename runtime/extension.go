package runtime

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Extension describes an extension of the protocol ("Extensions" in basic, 2026-07-28). The package
// that is generated from the schema of an extension has one.
type Extension struct {
	Name     string            // key of the member extensions of capabilities: "io.modelcontextprotocol/tasks"
	Revision string            // that it extends: "2026-07-28"
	Methods  []Method          // of the extension
	Results  []ExtensionResult // further results of methods of the revision
	Settings string            // the value that declares the extension, a name for the package's New; "" if its schema has none
}

// ExtensionResult is a result that a method of the revision may have if both sides have the extension.
type ExtensionResult struct {
	Method     string // "tools/call"
	Type       string // value of resultType: "task"
	Definition string // name for the package's New
}

// Extends reports whether the extension can be used with a revision that has the methods: the one that it was
// written for, or a later one that does not have its methods itself.
func (x Extension) Extends(revision string, methods []Method) bool {
	return revision >= x.Revision && !slices.ContainsFunc(methods, func(m Method) bool { return m.Extension != x.Name && x.has(m.Name) })
}

// has reports whether a method is one of the extension.
func (x Extension) has(method string) bool {
	return slices.ContainsFunc(x.Methods, func(m Method) bool { return m.Name == method })
}

// Over returns a binding in which own handles the methods of the extension and b handles all others. The
// binding declares the extension, with the settings that the Capabilities of the options give it, if they do.
// If the extension does not extend the revision of b, Over returns b unchanged.
func (x Extension) Over(b, own Binding) Binding {
	if !x.Extends(b.Revision, b.Methods) {
		return b
	}
	handle := b.Handle
	b.Extensions = append(slices.Clip(b.Extensions), x)
	b.Methods = slices.Concat(b.Methods, x.Methods)
	b.Notified = slices.Concat(b.Notified, own.Notified)
	b.Handle = func(ctx context.Context, m *Message) (wire.Appender, error) {
		if x.has(m.Method) {
			if c := CallOf(ctx); c != nil && b.Direction == ToServer && !c.Extension(x.Name) {
				return nil, missingExtension(x.Name)
			}
			return own.Handle(ctx, m)
		}
		return handle(ctx, m)
	}
	below := b.Capabilities
	b.Capabilities = func(declared wire.Appender) (wire.Appender, error) {
		if below != nil {
			var err error
			if declared, err = below(declared); err != nil {
				return nil, err
			}
		}
		return x.declare(declared)
	}
	return b
}

// declare returns the capabilities with the extension declared. Capabilities may be nil.
func (x Extension) declare(capabilities wire.Appender) (wire.Appender, error) {
	own, err := objectOf(capabilities)
	if err != nil {
		return nil, err
	}
	extensions, ok := own.Get(memberExtensions)
	if !ok || extensions.Kind() != wire.KindObject {
		extensions = "{}"
	}
	if _, ok := wire.Object(extensions).Get(x.Name); ok {
		return own, nil
	}
	with, err := wire.Object(extensions).With(x.Name, "{}")
	if err != nil {
		return nil, err
	}
	return own.With(memberExtensions, wire.Raw(with))
}

// memberExtensions is the member of capabilities with the extensions by their names.
const memberExtensions = "extensions"

// extensionNeed begins the need of an extension among bound.needs. Names of extensions contain dots, so
// they cannot be dotted paths.
const extensionNeed = memberExtensions + ":"

// declaresExtension reports whether capabilities declare an extension.
func declaresExtension(capabilities wire.Object, name string) bool {
	extensions, _ := capabilities.Get(memberExtensions)
	settings, ok := wire.Object(extensions).Get(name)
	return ok && settings.Kind() == wire.KindObject
}

// Extension reports whether the peer has declared an extension: in this request, if it is stateless,
// and otherwise for the session.
func (c *Call) Extension(name string) bool { return declaresExtension(c.terms.capabilities, name) }

// Server returns the server that handles a stateless request, and nil on a client's side and in sessions.
func (c *Call) Server() *Server {
	if c.terms.bound == nil || c.terms.bound.offered == nil {
		return nil
	}
	return c.terms.bound.offered.server
}

// missingExtension returns the error for a request that must declare an extension.
func missingExtension(name string) error {
	o, err := Extension{Name: name}.declare(nil)
	if err != nil {
		return err
	}
	text, err := objectOf(o)
	if err != nil {
		return err
	}
	return jsonrpc.MissingCapability(text)
}

// extended reports whether a value of resultType belongs to an extension that this side has declared and
// that gives it to results of the method ("Extension Negotiation" in basic/versioning, 2026-07-28).
func (t *terms) extended(method, kind string) bool {
	for _, x := range t.bound.Extensions {
		owns := slices.ContainsFunc(x.Results, func(r ExtensionResult) bool { return r.Method == method && r.Type == kind })
		if owns && declaresExtension(t.declared, x.Name) {
			return true
		}
	}
	return false
}

// DecodeResult decodes a result if its resultType is kind, and reports whether it is. A client gets the
// result of an extension in an *[OtherResultError].
func DecodeResult(result wire.Appender, kind string, into wire.Value) (bool, error) {
	text, err := wire.MarshalString(result)
	if err != nil {
		return false, err
	}
	if wire.Object(text).GetString("resultType") != kind {
		return false, nil
	}
	return true, wire.UnmarshalString(text, into)
}

// Params returns the params of the message as they were received, and the client's answers in earlier
// rounds of a stateless request.
func (c *Call) Params() wire.Raw { return c.params }
