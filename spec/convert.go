package spec

import (
	"encoding/json"
	"fmt"
	"iter"

	"go.yaml.in/yaml/v4"
)

// Conversions holds the facts about the conversion of values that the schemas of two adjacent
// revisions do not contain. A row applies to the steps of its range. Unlike a row of the overlay,
// it need not be used in each of them, but a row that no step uses is an error. A row that has no
// column for a result says that a value is not bridged: it is refused with the reason.
type Conversions struct {
	Renames     []RenameRow     `yaml:"renames"`
	Variants    []VariantRow    `yaml:"variants"`
	Members     []MemberRow     `yaml:"members"`
	Values      []ValueMapping  `yaml:"values"`
	Definitions []DefinitionRow `yaml:"definitions"`
	Errors      []ErrorRow      `yaml:"errors"`
}

// StepRow is the part that all rows of [Conversions] have.
type StepRow struct {
	// Step is the newer revision of the one step that the row is for. It takes the place of
	// Since and Until, which name the newer revisions of the first and the last step.
	Step  string `yaml:"step"`
	Range `yaml:",inline"`
	// Reason says why the row is right. Losses and refusals state it.
	Reason string `yaml:"reason"`
	// Where is the place of the row, as in "convert.yaml:12: members/3".
	Where string `yaml:"-"`
}

// AppliesTo reports whether the row is for the step up to a newer revision.
func (r StepRow) AppliesTo(newer string) bool {
	return (r.Step == "" || r.Step == newer) && r.Contains(newer)
}

// RenameRow pairs two definitions with different names.
type RenameRow struct {
	StepRow `yaml:",inline"`
	Older   string `yaml:"older"`
	Newer   string `yaml:"newer"`
}

// VariantRow is for a variant of a union that the other revision does not have. A row
// without As refuses the variant.
type VariantRow struct {
	StepRow `yaml:",inline"`
	// Union is the union in the revision that has the variant. Variant is the name of the
	// variant; "*" means all variants without a row of their own.
	Union   string `yaml:"union"`
	Variant string `yaml:"variant"`
	// Into is the definition of the other revision, which is not the union itself, whose values the
	// variant becomes. A row without Into holds for each such definition in which no variant has
	// the same structure or constants, and for the union itself.
	Into string `yaml:"into"`
	// As is the definition that the variant becomes, of the other revision. With Rewrite, a
	// function of runtime/convert/policy.go, it is the definition that the function returns,
	// of the same revision, which is then converted.
	As      string `yaml:"as"`
	Rewrite string `yaml:"rewrite"`
}

// MemberRow is for a member of an object. At most one of the columns after Member is set.
type MemberRow struct {
	StepRow `yaml:",inline"`
	// Object is the definition in the newer revision; "*" means any.
	Object string `yaml:"object"`
	Member string `yaml:"member"`
	// Older is the name of the member in the older revision, if it has another one there.
	Older string `yaml:"older"`
	// Value is the value of the member where it is missing, is null or cannot be converted. If it
	// is valid in the revision converted from, it is converted; otherwise it must be valid in the
	// revision converted to. Where the other revision does not have the member, removing this
	// value is not a loss.
	Value *JSON `yaml:"value"`
	// Session names the fact about the session that is the value of the member. The facts are
	// those of convert.Facts in the runtime.
	Session string `yaml:"session"`
	// Rewrite is a function of runtime/convert/policy.go, which rewrites an object that has the
	// member, or that cannot have it because only the other revision defines it.
	Rewrite string `yaml:"rewrite"`
	// Carry means that the older schema does not name the member, although its objects have it.
	Carry bool `yaml:"carry"`
	// Handled means that the runtime acts on the member, so that removing it is not a loss.
	Handled bool `yaml:"handled"`
	// Drop leaves out a value that cannot be converted.
	Drop bool `yaml:"drop"`
	// LeaveOut leaves out the elements of the member that are refused.
	LeaveOut bool `yaml:"leaveOut"`
	// Up applies Rewrite and LeaveOut on the way to the newer revision instead of on the way
	// to the older one.
	Up bool `yaml:"up"`
}

// ValueMapping is for a value of an enum that the other revision does not have. A row without
// As refuses the value.
type ValueMapping struct {
	StepRow `yaml:",inline"`
	Enum    string `yaml:"enum"`
	Value   string `yaml:"value"`
	As      string `yaml:"as"`
}

// DefinitionRow is for a definition whose values cannot always be converted, wherever they are: such
// a value is refused with the reason.
type DefinitionRow struct {
	StepRow `yaml:",inline"`
	// Definition is the name in the newer revision.
	Definition string `yaml:"definition"`
}

// ErrorRow is for an error that has another code in the newer revision.
type ErrorRow struct {
	StepRow `yaml:",inline"`
	Method  string `yaml:"method"` // of the request; "*" means any
	Older   int64  `yaml:"older"`
	Newer   int64  `yaml:"newer"`
	// Data is the member of the data by which the error is told from others with the newer code.
	// Without it, errors with the newer code keep it.
	Data string `yaml:"data"`
}

// JSON is the JSON text of a YAML value.
type JSON string

// UnmarshalYAML decodes any YAML value.
func (j *JSON) UnmarshalYAML(n *yaml.Node) error {
	var v any
	if err := n.Decode(&v); err != nil {
		return err
	}
	text, err := json.Marshal(v)
	*j = JSON(text)
	return err
}

// ParseConversions parses a file of conversions. Errors mention name.
func ParseConversions(name string, src []byte) (*Conversions, error) {
	c := &Conversions{}
	places, err := decodeRows(name, src, c)
	if err != nil {
		return nil, err
	}
	for path, row := range c.rows() {
		row.Where = places.At(path)
		switch {
		case row.Reason == "":
			return nil, fmt.Errorf("%s: the row has no reason", row.Where)
		case row.Step != "" && row.Range != (Range{}):
			return nil, fmt.Errorf("%s: the row has both step and since or until", row.Where)
		}
	}
	for i := range c.Members {
		// The decoder leaves out null.
		if places.has(fmt.Sprintf("members/%d/value", i)) && c.Members[i].Value == nil {
			c.Members[i].Value = new(JSON("null"))
		}
	}
	return c, nil
}

// rows returns the common parts of all rows, with their paths.
func (c *Conversions) rows() iter.Seq2[string, *StepRow] {
	return func(yield func(string, *StepRow) bool) {
		for i := range c.Renames {
			if !yield(fmt.Sprintf("renames/%d", i), &c.Renames[i].StepRow) {
				return
			}
		}
		for i := range c.Variants {
			if !yield(fmt.Sprintf("variants/%d", i), &c.Variants[i].StepRow) {
				return
			}
		}
		for i := range c.Members {
			if !yield(fmt.Sprintf("members/%d", i), &c.Members[i].StepRow) {
				return
			}
		}
		for i := range c.Values {
			if !yield(fmt.Sprintf("values/%d", i), &c.Values[i].StepRow) {
				return
			}
		}
		for i := range c.Definitions {
			if !yield(fmt.Sprintf("definitions/%d", i), &c.Definitions[i].StepRow) {
				return
			}
		}
		for i := range c.Errors {
			if !yield(fmt.Sprintf("errors/%d", i), &c.Errors[i].StepRow) {
				return
			}
		}
	}
}
