package emit

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

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
	out := []files.File{}
	render := func(name string, fill func(*jen.File)) error {
		f := code.NewFile("compat", "spec/pins.json")
		fill(f)
		text, err := code.Text(f)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, files.File{Path: dir + "/" + name, Content: text})
		return nil
	}
	if err := render("compat.go", func(f *jen.File) { compat(f, revisions, steps) }); err != nil {
		return nil, err
	}
	for i, s := range steps {
		if err := render(stepName(s, "_")+".go", (&stepEmitter{s}).render); err != nil {
			return nil, err
		}
		if len(checks[i]) == 0 {
			continue
		}
		fill := func(f *jen.File) {
			for _, d := range checks[i] {
				f.Line().Add(d)
			}
		}
		if err := render(stepName(s, "_")+"_checks.go", fill); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stepName returns the name of a step with a separator, such as "step_20251125".
func stepName(s *convert.Step, separator string) string {
	return "step" + separator + strings.ReplaceAll(s.Newer.ID, "-", "")
}

func compat(f *jen.File, revisions []*ir.Revision, steps []*convert.Step) {
	f.PackageComment(code.CommentText("Package compat lets a server or client written for one revision speak all of them. It reports what peers of other revisions do not receive."))
	f.Comment("Reasons for losses.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, r := range revisions {
			g.Id(missingIn(r)).Op("=").Lit(convert.Missing(r))
			g.Id(onlyIn(r)).Op("=").Lit(convert.Foreign(r))
		}
	})
	code.Declare(f, "This code does not compile with other versions of the runtime.", "const _ = wire.GeneratedV1")
	code.Declare(f, "Options configure the conversion of values that another revision cannot represent.", "type Options = convert.Options")
	code.Declare(f, "Report describes a loss: what was lost, and where.", "type Report = convert.Report")
	code.Declare(f, "RevisionError reports that a request was not sent because the session's revision cannot represent it.", "type RevisionError = convert.RevisionError")
	code.Declare(f, "Serve returns bindings for all revisions, given a server's binding for the revision it is written for. Messages from clients are converted to that revision; the server's responses, requests and notifications are converted to the client's revision.",
		"func Serve(server runtime.Binding, o Options) []runtime.Binding {\nreturn Table().Bind(server, o)\n}")
	code.Declare(f, "Client returns bindings for all revisions, given a client's binding for the revision it is written for. See Serve.",
		"func Client(client runtime.Binding, o Options) []runtime.Binding {\nreturn Table().Bind(client, o)\n}")
	code.Declare(f, "Connect opens a session with a server, given the ClientOptions of the revision that the client is written for. The session speaks the newest revision that the server supports, and converts. Connect owns the transport, even if it fails; ctx applies to the opening only.",
		"func Connect[S any](ctx context.Context, transport runtime.Transport, options convert.ClientOptions[S]) (S, error) {\nreturn convert.Connect(ctx, Table(), transport, options)\n}")
	code.Declare(f, "NewServer returns a server that offers the items and speaks every revision, given the binding of the revision that their definitions and results are written for, such as mcp20250618.BindBase(). It converts them to the revision of each client.\n\nThe items decide the capabilities of the server, unless the options declare some. NewServer returns an error for an invalid definition or schema, for two items with the same name, for options that cannot be served, and for an unknown revision.\n\nTo change the items later, pass a *catalog.Catalog as one of them and keep it.",
		"func NewServer(base runtime.Binding, options runtime.ServerOptions, items ...catalog.Item) (*runtime.Server, error) {\nreturn catalog.NewServer(options, base, Table(), items...)\n}")
	code.Declare(f, "Converter returns the Converter with which a catalog written for revision native converts its lists and results. Use it as catalog.Options.Convert.",
		"func Converter(native string, o Options) *convert.Converter {\nreturn Table().Converter(native, o)\n}")
	var rows, names jen.Statement
	for _, r := range revisions {
		pkg := PackagePath(r.Package)
		rows.Line().Values(pair("ID", jen.Qual(pkg, "Revision")), pair("Methods", jen.Qual(pkg, "Methods"))).Op(",")
	}
	for i, s := range steps {
		if i > 0 {
			names.Op(",")
		}
		names.Op("&").Id(stepName(s, ""))
	}
	// A function, because a variable would be initialized, and linked, in every program.
	code.Declare(f, "Table returns the differences between all revisions, with which single values can be converted.",
		"func Table() *convert.Table {\nreturn &convert.Table{\nRevisions: []convert.Revision{$1\n},\nSteps: []*convert.Step{$2},\n}\n}", &rows, &names)
}

// stepChecks returns the declarations of the check functions of each step.
func stepChecks(steps []*convert.Step) ([][]jen.Code, error) {
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

// pair renders a field of a composite literal.
func pair(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// missingIn and onlyIn name the constants for the usual reasons of losses.
func missingIn(r *ir.Revision) string { return "missingIn" + strings.ReplaceAll(r.ID, "-", "") }
func onlyIn(r *ir.Revision) string    { return "onlyIn" + strings.ReplaceAll(r.ID, "-", "") }

// stepEmitter renders the table of one step.
type stepEmitter struct{ step *convert.Step }

func (e *stepEmitter) render(f *jen.File) {
	for _, list := range [][]*convert.Shape{e.step.Up, e.step.Down} {
		names := ""
		for i, s := range list {
			names += ruleName(e.step, s)
			if i == 0 {
				names += " convert.Rule = iota + 1"
			}
			names += "\n"
		}
		f.Add(code.Go("const (\n$1)\n", names))
	}
	of := reflect.ValueOf(*e.step)
	list := func(field string) jen.Code { return code.Go(e.list(of.FieldByName(field))) }
	f.Add(code.Comment(fmt.Sprintf("%s holds the differences between revisions %s and %s.", stepName(e.step, ""), e.step.Older.ID, e.step.Newer.ID)))
	f.Add(code.Go("var $1 = convert.Step$2", stepName(e.step, ""), jen.Values(jen.Dict{
		jen.Id("Older"): jen.Lit(e.step.Older.ID), jen.Id("Newer"): jen.Lit(e.step.Newer.ID),
		jen.Id("Definitions"): list("Definitions"), jen.Id("Up"): list("Up"), jen.Id("Down"): list("Down"), jen.Id("Errors"): list("Errors"),
	})))
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

// list renders a slice of structs of package convert. Only conditions are in one line.
func (e *stepEmitter) list(all reflect.Value) string {
	if all.IsNil() {
		return "nil"
	}
	line, rows := "\n", ""
	if all.Type() == reflect.TypeFor[[]convert.Condition]() {
		line = ""
	}
	for i := range all.Len() {
		row := all.Index(i)
		rows += line
		if s, ok := row.Interface().(*convert.Shape); ok {
			rows += ruleName(e.step, s) + ": "
			row = row.Elem()
		}
		rows += e.fields(row) + ","
	}
	name := all.Type().Elem().String()
	return "[]convert." + name[strings.LastIndexByte(name, '.')+1:] + "{" + strings.TrimSuffix(rows+line, ",") + "}"
}

// fields renders a struct of package convert by the fields that say something. Package runtime/convert has structs with
// the same fields, in which shapes are rules, and the limits and schemas of a shape are checks.
func (e *stepEmitter) fields(v reflect.Value) string {
	var all []string
	shape, isShape := v.Interface().(convert.Shape)
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		if isShape && name == "Rules" {
			if checks := e.checks(&shape); checks != nil {
				all = append(all, "Checks: []func(*schema.Checker){"+strings.Join(checks, ", ")+"}")
			}
			continue
		}
		none := field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0 && field.Type().Elem().Kind() != reflect.String
		if none || isShape && (name == "Name" || name == "Limits") {
			continue
		}
		value := ""
		switch of := field.Interface().(type) {
		case string:
			value = e.text(of)
		case bool, int64:
			value = fmt.Sprint(of)
		case *convert.Shape:
			if name == "Shape" {
				name = "Rule"
			}
			value = ruleName(e.step, of)
		case []string:
			value = code.Strings(of)
		case ir.Kind:
			value = code.Kind(string(of))
		default:
			value = e.list(field)
		}
		all = append(all, name+": "+value)
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// text renders the text of a field: one of the usual reasons or any other text.
func (e *stepEmitter) text(s string) string {
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

// checks returns the names of the check functions of a shape.
func (e *stepEmitter) checks(s *convert.Shape) (names []string) {
	for i := range checkCount(s) {
		names = append(names, checkName(e.step, s, i))
	}
	return names
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
