package typing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// description returns the description of the values: that of their definition, or of the only schema that they have.
func (t *typer) description(d disj) string {
	if s := t.definitionOf(d); s != nil {
		return said(s)
	}
	if len(d) != 1 || len(d[0]) != 1 {
		return ""
	}
	return said(d[0][0])
}

// said returns a schema's description, or else its title, as a sentence. The title of a definition that repeats its
// name says nothing.
func said(s *jsonschema.Schema) string {
	title := strings.TrimSpace(s.Title)
	if name, ok := s.Definition(); ok && strings.EqualFold(name, title) {
		title = ""
	}
	return Sentence(cmp.Or(strings.TrimSpace(s.Description), title))
}

// Sentence returns a description from a list as the text of a comment, with a full stop if it has none at its end.
func Sentence(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n- ", "\n\n- ")
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?:)`") {
		text += "."
	}
	return text
}

// fieldDoc returns the doc comment of a member: what its schema says, and the limits of
// its values in words. It is "" when the schema says nothing but the name of the field.
func (t *typer) fieldDoc(f *ir.Field, all, d disj) string {
	text := ""
	deprecated := false
	for _, c := range all {
		for _, s := range c {
			if text == "" {
				text = said(s)
			}
			deprecated = deprecated || s.Deprecated
		}
	}
	if text == "" {
		text = t.description(d)
	}
	if len(text) <= longestTitle && t.identifier(strings.TrimSuffix(text, ".")) == f.Go {
		text = ""
	}
	limits := d.limits()
	if f.Const != nil {
		limits = strings.TrimSpace(limits + fmt.Sprintf(" It is always %#v", f.Const))
		if f.Required {
			limits += "; the zero value is sent as that"
		}
		limits += "."
	}
	if limits != "" {
		text += "\n\n" + limits
	}
	if len(d) > 0 {
		if value := all.defaultOf(); value != "" {
			text += "\n\n" + defaultSentence(value)
		}
	}
	if deprecated {
		text += "\n\nDeprecated: the schema says so."
	}
	return strings.TrimSpace(text)
}

// defaultSentence is the paragraph of a comment about the default of a field.
func defaultSentence(value wire.Raw) string { return "Default: " + string(value) + "." }

// limits describes the constraints of values in words, if they are the same for all
// alternatives.
func (d disj) limits() string {
	if len(d) != 1 {
		return ""
	}
	var sentences []string
	add := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	for _, s := range d[0] {
		count := func(least, most *int64, what string) {
			switch {
			case least != nil && most != nil && *least == *most:
				add("Exactly %s.", plural(*least, what))
			case least != nil && most != nil:
				add("%d to %s.", *least, plural(*most, what))
			case least != nil && *least > 0:
				add("At least %s.", plural(*least, what))
			case most != nil:
				add("At most %s.", plural(*most, what))
			}
		}
		switch {
		case s.Minimum != "" && s.Maximum != "":
			add("From %s to %s.", s.Minimum, s.Maximum)
		case s.Minimum != "":
			add("At least %s.", s.Minimum)
		case s.Maximum != "":
			add("At most %s.", s.Maximum)
		}
		if s.ExclusiveMinimum != "" {
			add("Greater than %s.", s.ExclusiveMinimum)
		}
		if s.ExclusiveMaximum != "" {
			add("Less than %s.", s.ExclusiveMaximum)
		}
		if s.MultipleOf != "" {
			add("A multiple of %s.", s.MultipleOf)
		}
		count(s.MinLength, s.MaxLength, "character")
		count(s.MinItems, s.MaxItems, "element")
		count(s.MinProperties, s.MaxProperties, "member")
		if s.UniqueItems {
			add("No two elements are the same.")
		}
		if s.Pattern != nil {
			add("Matches %s.", *s.Pattern)
		}
		switch {
		case s.ContentEncoding != "":
			add("Encoded in %s.", s.ContentEncoding)
		case s.AssertsFormat():
			add("In the format %s.", s.Format)
		}
	}
	if values, finite := d[0].values(); finite && d[0].kinds()&isString == 0 && d.constant() == nil {
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = string(v)
		}
		if len(texts) == 1 {
			add("It is always %s.", texts[0])
		} else {
			add("One of %s.", strings.Join(texts, ", "))
		}
	}
	return strings.Join(sentences, " ")
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
