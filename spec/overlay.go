package spec

// Overlay is what a schema cannot say. Each row is about the revisions of its
// Range, and a row that changes nothing in one of them is an error there, so
// that the table never outlives its reasons.
type Overlay struct {
	Names        []NameRow       `yaml:"names"`
	Unions       []UnionRow      `yaml:"unions"`
	Context      []ContextRow    `yaml:"context"`
	Results      []ResultRow     `yaml:"results"`
	Capabilities []CapabilityRow `yaml:"capabilities"`
	Enums        []EnumRow       `yaml:"enums"`
	Initialisms  []string        `yaml:"initialisms"`
}

// Range limits a row to revisions; both ends belong to it and may be open.
type Range struct {
	Since string `yaml:"since"`
	Until string `yaml:"until"`
}

// Contains reports whether the row is about the revision.
func (r Range) Contains(revision string) bool {
	return (r.Since == "" || revision >= r.Since) && (r.Until == "" || revision <= r.Until)
}

// NameRow names the anonymous types at the places At matches. Places of one
// structure may share a name. In At a "*" stands for any definition.
type NameRow struct {
	Range `yaml:",inline"`
	At    string `yaml:"at"`
	Name  string `yaml:"name"`
}

// UnionRow tells a variant from those it cannot be told from by kind, const
// or required members: it is meant when the member at the path When, below the
// value, is there.
type UnionRow struct {
	Range   `yaml:",inline"`
	Variant string `yaml:"variant"`
	When    string `yaml:"when"`
}

// ContextRow names a union whose values tell nothing of their variant, which
// is known from the request. Catchall is the variant that accepts all of them.
type ContextRow struct {
	Range    `yaml:",inline"`
	Union    string `yaml:"union"`
	Catchall string `yaml:"catchall"`
}

// ResultRow adds a result a method may also answer with. Name names the union.
type ResultRow struct {
	Range  `yaml:",inline"`
	Method string `yaml:"method"`
	Also   string `yaml:"also"`
	Name   string `yaml:"name"`
}

// CapabilityRow says which capability a method needs, as a dotted path in the
// capabilities of the side that answers the request or sends the notification.
type CapabilityRow struct {
	Range      `yaml:",inline"`
	Method     string `yaml:"method"`
	Capability string `yaml:"capability"`
}

// EnumRow restores the order of an enum's values, which schemas sort.
type EnumRow struct {
	Range `yaml:",inline"`
	Enum  string   `yaml:"enum"`
	Order []string `yaml:"order"`
}

// ParseOverlay reads an overlay file; name is for messages.
func ParseOverlay(name string, src []byte) (*Overlay, error) {
	o := &Overlay{}
	if err := decodeYAML(name, src, o); err != nil {
		return nil, err
	}
	return o, nil
}
