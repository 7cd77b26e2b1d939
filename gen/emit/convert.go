package emit

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/convert"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// PackagePath returns the import path of a folder of generated packages.
func PackagePath(dir string) string { return path.Join(code.Module, "generated", dir) }

// Converters renders the package that converts between all revisions, as files below dir:
// compat.go, and one file for each step.
func Converters(revisions []*ir.Revision, steps []*convert.Step, dir string) ([]files.File, error) {
	checks, err := stepChecks(steps)
	if err != nil {
		return nil, err
	}
	file := code.File{Package: "compat", Source: "spec/pins.json", Doc: "Package compat lets a server or client written for one revision speak all of them. It reports what peers of other revisions do not receive."}
	for _, r := range revisions {
		file.Also = append(file.Also, PackagePath(r.Package))
	}
	out := []files.File{}
	render := func(name, text string) error {
		rendered, err := file.Render(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, files.File{Path: dir + "/" + name, Content: rendered})
		file.Doc = ""
		return nil
	}
	if err := render("compat.go", compat(revisions, steps)); err != nil {
		return nil, err
	}
	for i, s := range steps {
		if err := render(stepName(s, "_")+".go", (&stepEmitter{s}).render()); err != nil {
			return nil, err
		}
		if len(checks[i]) == 0 {
			continue
		}
		if err := render(stepName(s, "_")+"_checks.go", strings.Join(checks[i], "\n")); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stepName returns the name of a step with a separator, such as "step_20251125".
func stepName(s *convert.Step, separator string) string {
	return "step" + separator + strings.ReplaceAll(s.Newer.ID, "-", "")
}

func compat(revisions []*ir.Revision, steps []*convert.Step) string {
	var w code.Writer
	w.P("// Reasons for losses.\nconst (")
	for _, r := range revisions {
		w.P("%s = %q", missingIn(r), convert.Missing(r))
		w.P("%s = %q", onlyIn(r), convert.Foreign(r))
	}
	w.P(")\n\n// This code does not compile with other versions of the runtime.\nconst _ = convert.V4")
	for _, t := range []struct{ name, doc string }{
		{"Options", "Options configure the conversion of values that another revision cannot represent."},
		{"Report", "Report describes a loss: what was lost, and where."},
		{"RevisionError", "RevisionError reports that a request was not sent because the session's revision cannot represent it."},
	} {
		w.Doc("%s", t.doc)
		w.P("type %[1]s = convert.%[1]s", t.name)
	}
	for _, fn := range []struct{ name, param, doc string }{
		{"Serve", "server", "Serve returns bindings for all revisions, given a server's binding for the revision it is written for. Messages from clients are converted to that revision; the server's responses, requests and notifications are converted to the client's revision."},
		{"Client", "client", "Client returns bindings for all revisions, given a client's binding for the revision it is written for. See Serve."},
	} {
		w.Doc("%s", fn.doc)
		w.P("func %s(%[2]s runtime.Binding, o Options) []runtime.Binding {\nreturn Table().Bind(%[2]s, o)\n}", fn.name, fn.param)
	}
	w.Doc("Connect opens a session with a server, given the ClientOptions of the revision that the client is written for. The session speaks the newest revision that the server supports, and converts. Connect owns the transport, even if it fails; ctx applies to the opening only.")
	w.P("func Connect[S any](ctx context.Context, transport runtime.Transport, options convert.ClientOptions[S]) (S, error) {\nreturn convert.Connect(ctx, Table(), transport, options)\n}")
	w.Doc("NewServer returns a server that offers the items and speaks every revision, given the binding of the revision that their definitions and results are written for, such as mcp20250618.BindBase(). It converts them to the revision of each client.\n\nThe items decide the capabilities of the server, unless the options declare some. NewServer returns an error for an invalid definition or schema, for two items with the same name, for options that cannot be served, and for an unknown revision.\n\nTo change the items later, pass a *catalog.Catalog as one of them and keep it.")
	w.P("func NewServer(base runtime.Binding, options runtime.ServerOptions, items ...catalog.Item) (*runtime.Server, error) {\nreturn catalog.NewServer(options, base, Table(), items...)\n}")
	w.Doc("Converter returns the Converter with which a catalog written for revision native converts its lists and results. Use it as catalog.Options.Convert.")
	w.P("func Converter(native string, o Options) *convert.Converter {\nreturn Table().Converter(native, o)\n}")
	w.Doc("Table returns the differences between all revisions, with which single values can be converted.")
	rows, names := []string{}, []string{}
	for _, r := range revisions {
		rows = append(rows, fmt.Sprintf("{ID: %[1]s.Revision, Methods: %[1]s.Methods}", r.Package))
	}
	for _, s := range steps {
		names = append(names, "&"+stepName(s, ""))
	}
	// A function, because a variable would be initialized, and linked, in every program.
	w.P("func Table() *convert.Table {\nreturn &convert.Table%s\n}", code.Fields{
		"Revisions": "[]convert.Revision" + code.Lines(rows), "Steps": "[]*convert.Step{" + code.List(names...) + "}"})
	return w.String()
}

// stepChecks returns the declarations of the check functions of each step.
func stepChecks(steps []*convert.Step) ([][]string, error) {
	groups := make([]check.Group, len(steps))
	for i, s := range steps {
		groups[i].Prefix = "check" + strings.ReplaceAll(s.Newer.ID, "-", "")
		up, err := checksOf(s, s.Up, s.Newer)
		if err != nil {
			return nil, err
		}
		down, err := checksOf(s, s.Down, s.Older)
		if err != nil {
			return nil, err
		}
		groups[i].Roots = slices.Concat(up, down)
	}
	return check.Groups(groups)
}

// checksOf returns the check functions of the shapes that convert to a revision.
func checksOf(step *convert.Step, shapes []*convert.Shape, to *ir.Revision) ([]check.Root, error) {
	var all []check.Root
	var root *jsonschema.Schema
	for _, shape := range shapes {
		for i, pointer := range shape.Rules {
			if root == nil {
				root, _ = jsonschema.Read("", wire.Raw(to.Schema))
			}
			schema := root.At(pointer)
			if schema == nil {
				return nil, fmt.Errorf("%s: there is no schema at %s", to.ID, pointer)
			}
			all = append(all, check.Root{Func: checkName(step, shape, i), Schema: schema})
		}
		if shape.Limits == nil {
			continue
		}
		schema, err := limitsSchema(shape.Limits)
		if err != nil {
			return nil, fmt.Errorf("%s: the limits of %s: %w", to.ID, shape.Name, err)
		}
		all = append(all, check.Root{Func: checkName(step, shape, len(shape.Rules)), Schema: schema})
	}
	return all, nil
}

// checkCount returns the number of check functions of a shape: one for each of its rules, and one for its
// limits.
func checkCount(s *convert.Shape) int {
	if s.Limits == nil {
		return len(s.Rules)
	}
	return len(s.Rules) + 1
}

// checkName names one of the check functions of a shape.
func checkName(step *convert.Step, shape *convert.Shape, i int) string {
	rule := ruleName(step, shape)
	name := "check" + strings.ToUpper(rule[:1]) + rule[1:]
	if i > 0 {
		name += fmt.Sprintf("And%d", i+1)
	}
	return name
}

// missingIn and onlyIn name the constants for the usual reasons of losses.
func missingIn(r *ir.Revision) string { return "missingIn" + strings.ReplaceAll(r.ID, "-", "") }
func onlyIn(r *ir.Revision) string    { return "onlyIn" + strings.ReplaceAll(r.ID, "-", "") }

// stepEmitter renders the table of one step.
type stepEmitter struct{ step *convert.Step }

func (e *stepEmitter) render() string {
	var w code.Writer
	for _, list := range [][]*convert.Shape{e.step.Up, e.step.Down} {
		w.P("const (")
		for i, s := range list {
			w.WriteString(ruleName(e.step, s))
			if i == 0 {
				w.WriteString(" convert.Rule = iota + 1")
			}
			w.P("")
		}
		w.P(")\n")
	}
	var rows []string
	for _, d := range e.step.Definitions {
		rows = append(rows, e.fields(d))
	}
	w.Doc("%s holds the differences between revisions %s and %s.", stepName(e.step, ""), e.step.Older.ID, e.step.Newer.ID)
	w.P("var %s = convert.Step%s", stepName(e.step, ""), code.Fields{
		"Older": strconv.Quote(e.step.Older.ID), "Newer": strconv.Quote(e.step.Newer.ID),
		"Definitions": "[]convert.Definition" + code.Lines(rows), "Up": e.shapes(e.step.Up), "Down": e.shapes(e.step.Down), "Errors": e.errors(),
	})
	return w.String()
}

func (e *stepEmitter) errors() string {
	if len(e.step.Errors) == 0 {
		return "nil"
	}
	var rows []string
	for _, r := range e.step.Errors {
		row := fmt.Sprintf("{Older: %d, Newer: %d", r.Older, r.Newer)
		if r.Method != "*" {
			row += fmt.Sprintf(", Method: %q", r.Method)
		}
		if r.Data != "" {
			row += fmt.Sprintf(", Data: %q", r.Data)
		}
		rows = append(rows, row+"}")
	}
	return "[]convert.ErrorCode" + code.Lines(rows)
}

// ruleName names a rule of a step, such as to20251125Tool, which converts up to that revision, and
// from20251125Tool, which converts down from it.
func ruleName(step *convert.Step, s *convert.Shape) string {
	revision := strings.ReplaceAll(step.Newer.ID, "-", "")
	if name, up := strings.CutPrefix(s.Name, "up"); up {
		return "to" + revision + name
	}
	return "from" + revision + strings.TrimPrefix(s.Name, "down")
}

func (e *stepEmitter) shapes(list []*convert.Shape) string {
	var rows []string
	for _, s := range list {
		rows = append(rows, ruleName(e.step, s)+": "+e.fields(*s))
	}
	return "[]convert.Shape" + code.Lines(rows)
}

// fields renders a struct of package convert by the fields that say something. Package runtime/convert has structs with
// the same fields, in which shapes are rules, and the limits and schemas of a shape are checks.
func (e *stepEmitter) fields(of any) string {
	var all []string
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		s, isShape := of.(convert.Shape)
		none := field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0 && field.Type().Elem().Kind() != reflect.String
		if isShape && name == "Rules" {
			none = checkCount(&s) == 0
		}
		if none || isShape && (name == "Name" || name == "Limits") {
			continue
		}
		var value string
		switch field := field.Interface().(type) {
		case string:
			value = e.text(name, field)
		case bool:
			value = "true"
		case *convert.Shape:
			if name == "Shape" {
				name = "Rule"
			}
			value = ruleName(e.step, field)
		case []string:
			value = code.Strings(field)
			if name == "Rules" {
				name, value = "Checks", e.checks(&s)
			}
		case []convert.Member:
			var rows []string
			for _, m := range field {
				if m.Shape == nil { // which they are about
					m.LeaveOut, m.Reason = false, ""
				}
				rows = append(rows, e.fields(m))
			}
			value = "[]convert.Member" + code.Lines(rows)
		case []convert.Case:
			var rows []string
			for _, c := range field {
				rows = append(rows, e.fields(c))
			}
			value = "[]convert.Case" + code.Lines(rows)
		case []convert.Condition:
			var rows []string
			for _, when := range field {
				rows = append(rows, e.fields(when))
			}
			value = "[]convert.Condition{" + code.List(rows...) + "}"
		case ir.Kind:
			value = "schema." + strings.ToUpper(string(field[:1])) + string(field[1:])
		}
		all = append(all, name+": "+value)
	}
	return "{" + code.List(all...) + "}"
}

// text renders the text of a field: a function of package convert, one of the usual reasons or any other text.
func (e *stepEmitter) text(field, s string) string {
	if field == "Rewrite" {
		return "convert." + s
	}
	for _, r := range []*ir.Revision{e.step.Older, e.step.Newer} {
		switch s {
		case convert.Missing(r):
			return missingIn(r)
		case convert.Foreign(r):
			return onlyIn(r)
		}
	}
	return strconv.Quote(s)
}

// checks renders the check functions of a shape.
func (e *stepEmitter) checks(s *convert.Shape) string {
	var names []string
	for i := range checkCount(s) {
		names = append(names, checkName(e.step, s, i))
	}
	return "[]func(*schema.Checker){" + code.List(names...) + "}"
}

// limitsSchema returns the schema of the values that do not exceed limits.
func limitsSchema(l *convert.Limits) (*jsonschema.Schema, error) {
	keywords := map[string]any{}
	var types []string
	for _, kind := range l.Kinds {
		name := string(kind)
		if kind == ir.KindNumber && l.Integer {
			name = "integer"
		}
		types = append(types, name)
	}
	if l.Format != "" {
		keywords["format"], types = l.Format, []string{"string"} // beside which a format is asserted
	}
	if types != nil {
		keywords["type"] = types
	}
	if l.Values != nil {
		var values []json.RawMessage
		for _, v := range l.Values {
			values = append(values, json.RawMessage(v))
		}
		keywords["enum"] = values
	}
	if l.Pattern != "" {
		keywords["pattern"] = l.Pattern
	}
	bound := func(name string, value *float64, open bool) {
		if open {
			name = "exclusive" + strings.ToUpper(name[:1]) + name[1:]
		}
		if value != nil {
			keywords[name] = *value
		}
	}
	bound("minimum", l.Bounds.Min, l.Bounds.MinOpen)
	bound("maximum", l.Bounds.Max, l.Bounds.MaxOpen)
	size := "Length"
	if slices.Contains(l.Kinds, ir.KindArray) {
		size = "Items"
	}
	if l.Length.Min > 0 {
		keywords["min"+size] = l.Length.Min
	}
	if l.Length.Max > 0 {
		keywords["max"+size] = l.Length.Max
	}
	text, err := json.Marshal(keywords)
	if err != nil {
		return nil, err
	}
	schema, _ := jsonschema.Read("", wire.Raw(text))
	return schema, nil
}
