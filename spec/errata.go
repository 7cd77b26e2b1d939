package spec

// errataFile is the content of errata.yaml.
type errataFile struct {
	Errata     []Erratum   `yaml:"errata"`
	Deviations []Deviation `yaml:"deviations"`
	places     Places
}

// Erratum corrects a mistake in the upstream files of the revisions of its range: it replaces the
// value at Pointer by New. It is an error if the value is not Old in one of them.
type Erratum struct {
	Range `yaml:",inline"`
	// Pointer is a JSON Pointer into schema.json.
	Pointer string `yaml:"pointer"`
	Old     any    `yaml:"old"`
	New     any    `yaml:"new"`
	Reason  string `yaml:"reason"`
	// Where is the place of the row, as in "errata.yaml:12: errata/3".
	Where string `yaml:"-"`
}

// Deviation is a class of values on which generated code and a schema, after
// errata, deliberately disagree. Unlike an erratum, it is not tied to one place
// of a file. The tests that compare the verdicts of both accept no other
// differences, and fail if a row explains none.
type Deviation struct {
	// Name identifies the class in the tests.
	Name    string   `yaml:"name"`
	Effects []Effect `yaml:"effects"`
	Reason  string   `yaml:"reason"`
}

// Effect is how generated code and a schema disagree on a value.
type Effect string

// The effects of deviations.
const (
	// Narrower means that the schema accepts the value and generated code does not.
	Narrower Effect = "narrower"
	// Wider means that generated code accepts the value and the schema does not.
	Wider Effect = "wider"
	// Lossy means that both accept the value, but generated code encodes it as another one.
	Lossy Effect = "lossy"
)
