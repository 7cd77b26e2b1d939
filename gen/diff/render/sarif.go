package render

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/report/sarif"
)

type (
	// sarifOutcomes has what SARIF has no members for.
	sarifOutcomes struct {
		ServerFirst diff.Level     `json:"serverFirst"`
		ClientFirst diff.Level     `json:"clientFirst"`
		Direction   diff.Direction `json:"direction"`
		Old         sarifPlace     `json:"old"`
		New         sarifPlace     `json:"new"`
	}
	sarifPlace struct {
		Side string `json:"side"`
		diff.Place
		*diff.Position
	}
	sarifComparisons struct {
		Comparisons []sarifComparison `json:"comparisons"`
	}
	sarifComparison struct {
		Old       string       `json:"old"`
		New       string       `json:"new"`
		Upgrade   diff.Upgrade `json:"upgrade"`
		Suggested diff.Version `json:"suggested"`
		Summary   diff.Summary `json:"summary"`
	}
)

func (p *printer) sarif(out Output, o Options) {
	var driver sarif.Driver
	for _, r := range diff.Rules() {
		driver.Rules = append(driver.Rules, sarifRuleOf(r))
	}
	comparisons := sarifComparisons{[]sarifComparison{}}
	run := sarif.Run{Tool: sarif.Tool{Driver: driver}, Results: []sarif.Result{}}
	invocation := sarif.Invocation{Successful: true}
	for i, r := range out.Reports {
		for _, f := range r.Findings {
			run.Results = append(run.Results, result(r, f, o.files(i)))
		}
		note := func(level, text string) {
			invocation.Notifications = append(invocation.Notifications, sarif.Notification{Level: level, Message: sarif.Text{Text: text}})
		}
		for _, s := range r.Skipped {
			note("note", "skipped: "+skipped(r, s))
		}
		for _, warning := range r.Warnings {
			note("warning", warning)
		}
		for _, problem := range r.Problems {
			note("error", problem+". "+Bug)
		}
		comparisons.Comparisons = append(comparisons.Comparisons, sarifComparison{r.Old, r.New, r.Upgrade, r.Suggested, r.Summary})
	}
	run.Invocations = []sarif.Invocation{invocation}
	run.Properties = comparisons
	p.JSON(sarif.New(run))
}

// sarifRuleOf describes a rule. Its level is the worse one of the two orders of upgrades. Each
// result has its own level.
func sarifRuleOf(r diff.Rule) sarif.Rule {
	v := r.Effect.Verdicts()
	level := v.ReceiverFirst
	if v.SenderFirst.AtLeast(level) {
		level = v.SenderFirst
	}
	text := fmt.Sprintf("%s If the receiver is upgraded first: %s; if the sender is: %s.", r.Doc, v.ReceiverFirst, v.SenderFirst)
	help := fmt.Sprintf("%s\n\n| Upgraded first | Level |\n|---|---|\n| the receiver | %s |\n| the sender | %s |\n\n"+
		"Servers receive arguments and send results. A known finding is accepted in `mcpgen.yaml` under `compat: accept`, with a reason.",
		report.Cell(r.Doc), v.ReceiverFirst, v.SenderFirst)
	return sarif.Rule{
		ID: r.ID, ShortDescription: sarif.Text{Text: strings.ReplaceAll(r.ID, "-", " ")}, FullDescription: sarif.Text{Text: r.Doc},
		Help: sarif.Text{Text: text, Markdown: help}, Configuration: sarif.Configuration{Level: sarif.Levels[severity(&diff.Finding{Level: level})]}, Properties: sarif.Tags{Tags: []string{string(r.Category)}},
	}
}

func result(r *diff.Report, f *diff.Finding, files Files) sarif.Result {
	one := issue(r, f, files)
	one.Title = r.Old + " -> " + r.New + ": " + f.Subject + ": " + f.Message + "."
	out := sarif.Of(one, "mcpgen/v1")
	out.Properties = sarifOutcomes{f.ServerFirst.Level, f.ClientFirst.Level, f.Direction,
		sarifPlace{r.Old, f.Old, f.OldPosition}, sarifPlace{r.New, f.New, f.NewPosition}}
	if f.OldPosition != nil && files.Old != "" {
		old := sarif.File(files.Old, f.OldPosition.Line, f.OldPosition.Column)
		out.Related = []sarif.Location{{ID: 1, Physical: old, Message: &sarif.Text{Text: "the old side"}}}
	}
	return out
}
