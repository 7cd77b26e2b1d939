package render

import (
	"fmt"
	"io"

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
	rules := [][]string{{"RULE", "CATEGORY", "EFFECT", "RECEIVER FIRST", "SENDER FIRST", "VERSION", "WHAT CHANGED"}}
	for _, r := range diff.Rules() {
		v := r.Effect.Verdicts()
		rules = append(rules, []string{r.ID, string(r.Category), string(r.Effect), string(v.ReceiverFirst), string(v.SenderFirst), string(r.Version), r.Doc})
	}
	p.Table(rules)
	p.Line("")
	guards := [][]string{{"GUARD", "ERR BECOMES", "WHY"}}
	for _, g := range diff.Guards() {
		guards = append(guards, []string{g.ID, string(g.Level), g.Doc})
	}
	p.Table(guards)
}
