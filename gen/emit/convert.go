package emit

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/convert"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

const convertPath = runtimePath + "/convert"

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
	code.Declare(f, "This code does not compile with other versions of the runtime.", "const _ = convert.V4")
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
		f.Const().DefsFunc(func(g *jen.Group) {
			for i, s := range list {
				if i == 0 {
					g.Add(e.name(s)).Qual(convertPath, "Rule").Op("=").Iota().Op("+").Lit(1)
				} else {
					g.Add(e.name(s))
				}
			}
		})
		f.Line()
	}
	f.Add(code.Comment(fmt.Sprintf("%s holds the differences between revisions %s and %s.", stepName(e.step, ""), e.step.Older.ID, e.step.Newer.ID)))
	f.Var().Id(stepName(e.step, "")).Op("=").Qual(convertPath, "Step").Values(jen.Dict{
		jen.Id("Older"):       jen.Lit(e.step.Older.ID),
		jen.Id("Newer"):       jen.Lit(e.step.Newer.ID),
		jen.Id("Definitions"): lines("Definition", e.step.Definitions, func(d convert.Definition) []jen.Code { return e.fields(d) }),
		jen.Id("Up"):          e.shapes(e.step.Up),
		jen.Id("Down"):        e.shapes(e.step.Down),
		jen.Id("Errors"):      e.errors(),
	})
}

func (e *stepEmitter) errors() jen.Code {
	if len(e.step.Errors) == 0 {
		return jen.Nil()
	}
	return lines("ErrorCode", e.step.Errors, func(r spec.ErrorRow) []jen.Code {
		fields := []jen.Code{pair("Older", jen.Lit(int(r.Older))), pair("Newer", jen.Lit(int(r.Newer)))}
		if r.Method != "*" {
			fields = append(fields, pair("Method", jen.Lit(r.Method)))
		}
		if r.Data != "" {
			fields = append(fields, pair("Data", jen.Lit(r.Data)))
		}
		return fields
	})
}

// name renders the constant for a shape.
func (e *stepEmitter) name(s *convert.Shape) *jen.Statement { return jen.Id(ruleName(e.step, s)) }

// ruleName names a rule of a step, such as to20251125Tool, which converts up to that revision, and
// from20251125Tool, which converts down from it.
func ruleName(step *convert.Step, s *convert.Shape) string {
	revision := strings.ReplaceAll(step.Newer.ID, "-", "")
	if name, up := strings.CutPrefix(s.Name, "up"); up {
		return "to" + revision + name
	}
	return "from" + revision + strings.TrimPrefix(s.Name, "down")
}

func (e *stepEmitter) shapes(list []*convert.Shape) jen.Code {
	return jen.Index().Qual(convertPath, "Shape").ValuesFunc(func(g *jen.Group) {
		for _, s := range list {
			g.Line().Add(e.name(s)).Op(":").Values(e.fields(*s)...)
		}
		g.Line()
	})
}

// fields renders the fields of a struct of package convert that say something. Package runtime/convert has structs with
// the same fields, in which shapes are rules, and the limits and schemas of a shape are checks.
func (e *stepEmitter) fields(of any) []jen.Code {
	var all []jen.Code
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
		var value jen.Code
		switch field := field.Interface().(type) {
		case string:
			value = e.text(name, field)
		case bool:
			value = jen.True()
		case *convert.Shape:
			if name == "Shape" {
				name = "Rule"
			}
			value = e.name(field)
		case []string:
			value = code.Go(code.Strings(field))
			if name == "Rules" {
				name, value = "Checks", e.checks(&s)
			}
		case []convert.Member:
			value = lines("Member", field, func(m convert.Member) []jen.Code {
				if m.Shape == nil { // which they are about
					m.LeaveOut, m.Reason = false, ""
				}
				return e.fields(m)
			})
		case []convert.Case:
			value = lines("Case", field, func(c convert.Case) []jen.Code { return e.fields(c) })
		case []convert.Condition:
			value = jen.Index().Qual(convertPath, "Condition").ValuesFunc(func(g *jen.Group) {
				for _, when := range field {
					g.Values(e.fields(when)...)
				}
			})
		case ir.Kind:
			value = jen.Qual(schemaPath, strings.ToUpper(string(field[:1]))+string(field[1:]))
		}
		all = append(all, pair(name, value))
	}
	return all
}

// text renders the text of a field: a function of package convert, one of the usual reasons or any other text.
func (e *stepEmitter) text(field, s string) jen.Code {
	if field == "Rewrite" {
		return jen.Qual(convertPath, s)
	}
	for _, r := range []*ir.Revision{e.step.Older, e.step.Newer} {
		switch s {
		case convert.Missing(r):
			return jen.Id(missingIn(r))
		case convert.Foreign(r):
			return jen.Id(onlyIn(r))
		}
	}
	return jen.Lit(s)
}

// checks renders the check functions of a shape.
func (e *stepEmitter) checks(s *convert.Shape) jen.Code {
	return jen.Index().Func().Params(jen.Op("*").Qual(schemaPath, "Checker")).ValuesFunc(func(g *jen.Group) {
		for i := range checkCount(s) {
			g.Id(checkName(e.step, s, i))
		}
	})
}

// lines renders a slice of structs, one on each line.
func lines[T any](typ string, all []T, fields func(T) []jen.Code) jen.Code {
	return jen.Index().Qual(convertPath, typ).ValuesFunc(func(g *jen.Group) {
		for _, one := range all {
			g.Line().Values(fields(one)...)
		}
		g.Line()
	})
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
