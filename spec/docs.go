package spec

// Docs holds the doc comments of generated identifiers, in our own words.
type Docs struct {
	// Types holds the comments of types, by Go name.
	Types map[string]string `yaml:"types"`
	// Fields holds the comments of fields, by type and member, as in "Tool.name".
	Fields map[string]string `yaml:"fields"`
	// Properties holds the comments of fields by member name alone. They apply
	// to every type that has the member and no row in Fields.
	Properties map[string]string `yaml:"properties"`
	// Values holds the comments of enum values, by type and value, as in "Role.user".
	Values map[string]string `yaml:"values"`
	// Methods holds the comments of methods, by wire name. A text continues "MethodName ".
	Methods map[string]string `yaml:"methods"`
}
