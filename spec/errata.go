package spec

// errataFile is errata.yaml.
type errataFile struct {
	Errata     []Erratum   `yaml:"errata"`
	Deviations []Deviation `yaml:"deviations"`
}

// Erratum is a fact an upstream file states wrongly: the value at Pointer is
// to be replaced by New, provided that it still is Old.
type Erratum struct {
	Revision string `yaml:"revision"`
	// Pointer is a JSON Pointer into the revision's schema.json.
	Pointer string `yaml:"pointer"`
	Old     any    `yaml:"old"`
	New     any    `yaml:"new"`
	Reason  string `yaml:"reason"`
}

// Deviation is a class of values that generated code deliberately judges
// otherwise than the letter of a schema, errata applied. Where it is not about
// one place of a file, no erratum can say it. The tests that compare verdicts
// honour these rows and nothing else, and fail on one that explains nothing.
type Deviation struct {
	// Name tells the tests which values are meant.
	Name    string   `yaml:"name"`
	Effects []Effect `yaml:"effects"`
	Reason  string   `yaml:"reason"`
}

// Effect is what a deviation does to a value.
type Effect string

// The effects of deviations.
const (
	// Narrower: the schema accepts it, generated code does not.
	Narrower Effect = "narrower"
	// Wider: generated code accepts it, the schema does not.
	Wider Effect = "wider"
	// Lossy: both accept it, but it is not encoded as the same value.
	Lossy Effect = "lossy"
)
