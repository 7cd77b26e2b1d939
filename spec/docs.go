package spec

// Docs are the doc comments of generated identifiers, in our own words.
type Docs struct {
	// Types by Go name.
	Types map[string]string `yaml:"types"`
	// Fields by type and member, as in "Tool.name".
	Fields map[string]string `yaml:"fields"`
	// Properties by member name, for every type that has it.
	Properties map[string]string `yaml:"properties"`
	// Values by enum type and value, as in "Role.user".
	Values map[string]string `yaml:"values"`
	// Methods by wire name, continuing "MethodName ".
	Methods map[string]string `yaml:"methods"`
}
