// Package form checks the content of a form against the schema that the server has requested
// ("Requested Schema" in client/elicitation of revisions since 2025-06-18). It reads the keywords that the
// protocol allows in such a schema, in all revisions, and ignores all others. It does not judge the
// schema itself.
package form

import (
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// CheckResult checks the result of elicitation/create against the params of the request. It returns nil,
// or an error with the JSON Pointer of each problem. Only forms that the user has accepted have content.
func CheckResult(params, result wire.Object) error {
	requested, _ := params.Get("requestedSchema")
	if requested.Kind() != wire.KindObject || result.GetString("action") != "accept" {
		return nil
	}
	content, ok := result.Get("content")
	if !ok {
		content = "{}"
	}
	var c wire.Collector
	c.Push("content")
	c.Include(schema.Check(content, form(wire.Object(requested))))
	c.Pop()
	return c.Err()
}

// FillDefaults returns the result of elicitation/create with the defaults of the fields that it omits. A default that
// its field does not allow is ignored.
func FillDefaults(params, result wire.Object) (wire.Object, error) {
	given, ok := result.Get("content")
	if result.GetString("action") != "accept" || ok && given.Kind() != wire.KindObject {
		return result, nil
	}
	requested, _ := params.Get("requestedSchema")
	properties, _ := wire.Object(requested).Get("properties")
	content := wire.Object(given).Members()
	answered := len(content)
	for name, field := range wire.Object(properties).All() {
		value, ok := wire.Object(field).Get("default")
		if _, given := content.Get(name); ok && !given && allows(wire.Object(field), value) {
			content = append(content, wire.Member{Name: name, Value: value})
		}
	}
	if len(content) == answered {
		return result, nil
	}
	text, err := wire.NewObject(content...)
	if err != nil {
		return "", err
	}
	return result.With("content", wire.Raw(text))
}

// allows reports whether a field, which must have a known type, may have a value.
func allows(field wire.Object, value wire.Raw) bool {
	return typeOf(field) != 0 && schema.Check(value, func(c *schema.Checker) { checkField(c, field) }) == nil
}

// form returns the check of a form. Fields that the schema does not name are allowed, as in JSON Schema.
func form(requested wire.Object) func(*schema.Checker) {
	var rules []schema.Member
	places := map[string]int{}
	properties, _ := requested.Get("properties")
	for name, field := range wire.Object(properties).All() {
		places[name] = len(rules)
		rules = append(rules, schema.Member{Name: name, Check: func(c *schema.Checker) { checkField(c, wire.Object(field)) }})
	}
	required, _ := requested.Get("required")
	for _, element := range required.Elements() {
		name, ok := element.Str()
		if !ok {
			continue
		}
		at, known := places[name]
		if !known {
			at, places[name] = len(rules), len(rules)
			rules = append(rules, schema.Member{Name: name, Check: (*schema.Checker).Pass})
		}
		rules[at].Required = true
	}
	return func(c *schema.Checker) { c.Members(wire.KindObject, (*schema.Checker).Pass, rules) }
}

// typeOf returns the type of the values of a field, or 0 for a type that no form has.
func typeOf(field wire.Object) wire.Kind {
	switch field.GetString("type") {
	case "string":
		return wire.KindString
	case "number":
		return wire.KindNumber
	case "integer":
		return wire.KindInteger
	case "boolean":
		return wire.KindBool
	case "array":
		return wire.KindArray
	}
	return 0
}

// checkField checks the value of one field. A field without a known type may hold anything. Rules for values of
// another type have no effect.
func checkField(c *schema.Checker, field wire.Object) {
	of := typeOf(field)
	switch of {
	case 0:
		c.Pass()
		return
	case wire.KindArray:
		checkArray(c, field)
		return
	}
	v := c.Value(of)
	if least, ok := integer(field, "minLength"); ok {
		c.MinLength(v, least)
	}
	if most, ok := integer(field, "maxLength"); ok {
		c.MaxLength(v, most)
	}
	if bound, ok := field.Get("minimum"); ok && bound.Kind() == wire.KindNumber {
		c.Minimum(v, bound)
	}
	if bound, ok := field.Get("maximum"); ok && bound.Kind() == wire.KindNumber {
		c.Maximum(v, bound)
	}
	c.Format(v, field.GetString("format"))
	if allowed := choices(field); of == wire.KindString && len(allowed) > 0 {
		c.Enum(v, allowed...)
	}
}

// checkArray checks the selection of several values.
func checkArray(c *schema.Checker, field wire.Object) {
	if !c.Array(wire.KindArray) {
		return
	}
	items, _ := field.Get("items")
	allowed := choices(wire.Object(items))
	n := 0
	for c.Element() {
		n++
		if v := c.Value(wire.KindString); len(allowed) > 0 {
			c.Enum(v, allowed...)
		}
	}
	if least, ok := integer(field, "minItems"); ok {
		c.MinItems(n, least)
	}
	if most, ok := integer(field, "maxItems"); ok {
		c.MaxItems(n, most)
	}
}

// choices returns the values that a field or the items of an array may have: those of enum, or the
// constants of the alternatives with titles. It returns nil if every value is allowed.
func choices(field wire.Object) []wire.Raw {
	if values, ok := field.Get("enum"); ok {
		return values.Elements()
	}
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		alternatives, _ := field.Get(keyword)
		var values []wire.Raw
		for _, a := range alternatives.Elements() {
			value, ok := wire.Object(a).Get("const")
			if !ok {
				return nil
			}
			values = append(values, value)
		}
		if values != nil {
			return values
		}
	}
	return nil
}

// integer returns the value of a member that is an integer of 64 bits.
func integer(o wire.Object, name string) (int64, bool) {
	return wire.Raw(o).Reader().PeekInt64(name)
}
