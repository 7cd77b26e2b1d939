package render

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

// RuleList is the JSON form of the rules.
type RuleList struct {
	Rules  []RuleRow    `json:"rules"`
	Guards []diff.Guard `json:"guards"`
}

// RuleRow is a rule with the verdicts that are derived from its effect.
type RuleRow struct {
	diff.Rule
	Verdicts diff.Verdicts `json:"verdicts"`
}

// Rules writes the rules and the guards in a format: Text, JSON or Markdown.
func Rules(w io.Writer, format Format) error {
	p := &printer{report.Printer{W: w}}
	switch format {
	case Text:
		p.rulesText()
	case Markdown:
		p.rulesMarkdown()
	case JSON:
		list := RuleList{Guards: diff.Guards()}
		for _, r := range diff.Rules() {
			list.Rules = append(list.Rules, RuleRow{r, r.Effect.Verdicts()})
		}
		p.JSON(list)
	default:
		return fmt.Errorf("unknown format %q: it is text, json or markdown", format)
	}
	return p.Err
}

func (p *printer) rulesText() {
	t := tabwriter.NewWriter(p.W, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tCATEGORY\tEFFECT\tRECEIVER FIRST\tSENDER FIRST\tVERSION\tWHAT CHANGED")
	for _, r := range diff.Rules() {
		v := r.Effect.Verdicts()
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Category, r.Effect, v.ReceiverFirst, v.SenderFirst, r.Version, r.Doc)
	}
	p.Err = t.Flush()
	p.Line("")
	t = tabwriter.NewWriter(p.W, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "GUARD\tERR BECOMES\tWHY")
	for _, g := range diff.Guards() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", g.ID, g.Level, g.Doc)
	}
	if err := t.Flush(); p.Err == nil {
		p.Err = err
	}
}
