package render

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// The part of SARIF 2.1.0 that is written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  sarifComparisons  `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		URI   string      `json:"informationUri"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string             `json:"id"`
		ShortDescription sarifText          `json:"shortDescription"`
		FullDescription  sarifText          `json:"fullDescription"`
		Help             sarifText          `json:"help"`
		Configuration    sarifConfiguration `json:"defaultConfiguration"`
		Properties       sarifTags          `json:"properties"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifTags struct {
		Tags []string `json:"tags"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Properties   sarifOutcomes      `json:"properties"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
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

// sarifLevels translates levels.
var sarifLevels = map[diff.Level]string{diff.LevelErr: "error", diff.LevelWarn: "warning", diff.LevelInfo: "note"}

func (p *printer) sarif(out Output, o Options) {
	driver := sarifDriver{Name: "mcpgen", URI: "https://github.com/mcpgen/mcpgen"}
	for _, r := range diff.Rules() {
		driver.Rules = append(driver.Rules, sarifRuleOf(r))
	}
	run := sarifRun{
		Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Properties: sarifComparisons{[]sarifComparison{}},
	}
	invocation := sarifInvocation{Successful: true}
	for _, r := range out.Reports {
		for _, f := range r.Findings {
			run.Results = append(run.Results, result(r, f, o))
		}
		note := func(level, text string) {
			invocation.Notifications = append(invocation.Notifications, sarifNotification{level, sarifText{Text: text}})
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
		run.Properties.Comparisons = append(run.Properties.Comparisons, sarifComparison{r.Old, r.New, r.Upgrade, r.Suggested, r.Summary})
	}
	run.Invocations = []sarifInvocation{invocation}
	p.json(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarifRuleOf describes a rule. Its level is the worse one of the two orders of upgrades. Each
// result has its own level.
func sarifRuleOf(r diff.Rule) sarifRule {
	v := r.Effect.Verdicts()
	level := v.ReceiverFirst
	if v.SenderFirst.AtLeast(level) {
		level = v.SenderFirst
	}
	text := fmt.Sprintf("%s If the receiver is upgraded first: %s; if the sender is: %s.", r.Doc, v.ReceiverFirst, v.SenderFirst)
	help := fmt.Sprintf("%s\n\n| Upgraded first | Level |\n|---|---|\n| the receiver | %s |\n| the sender | %s |\n\n"+
		"Servers receive arguments and send results. A known finding is accepted in `mcpgen.yaml` under `compat: accept`, with a reason.",
		cell(r.Doc), v.ReceiverFirst, v.SenderFirst)
	return sarifRule{
		ID: r.ID, ShortDescription: sarifText{Text: strings.ReplaceAll(r.ID, "-", " ")}, FullDescription: sarifText{Text: r.Doc},
		Help: sarifText{text, help}, Configuration: sarifConfiguration{sarifLevels[level]}, Properties: sarifTags{[]string{string(r.Category)}},
	}
}

func result(r *diff.Report, f *diff.Finding, o Options) sarifResult {
	lines := append([]string{r.Old + " -> " + r.New + ": " + f.Subject + ": " + f.Message + "; " + verdicts(r, f) + "."}, says(r, f)...)
	for _, w := range proof(r, f) {
		lines = append(lines, w.RefusedBy+" refuses "+string(w.Value)+".")
	}
	if f.Unproven != "" {
		lines = append(lines, unproven(f)+".")
	}
	level := sarifLevels[f.Level]
	if f.Fails && f.Level == diff.LevelInfo {
		level = "error"
	}
	at := sarifLocation{Physical: physical(o.New, f.NewPosition), Logical: []sarifLogical{{f.Subject}}}
	out := sarifResult{
		RuleID: f.Rule, Level: level, Message: sarifText{Text: strings.Join(lines, " ")},
		Locations: []sarifLocation{at}, Fingerprints: map[string]string{"mcpgen/v1": f.Fingerprint},
		Properties: sarifOutcomes{f.ServerFirst.Level, f.ClientFirst.Level, f.Direction,
			sarifPlace{r.Old, f.Old, f.OldPosition}, sarifPlace{r.New, f.New, f.NewPosition}},
	}
	if old := physical(o.Old, f.OldPosition); old != nil && f.OldPosition != nil {
		out.Related = []sarifLocation{{ID: 1, Physical: old, Message: &sarifText{Text: "the old side"}}}
	}
	if f.Accepted != nil {
		out.Suppressions = []sarifSuppression{{"external", f.Accepted.Reason}}
	}
	return out
}

// physical returns a location in a file, or nil if the side is not a file.
func physical(file string, at *diff.Position) *sarifPhysical {
	if file == "" {
		return nil
	}
	out := &sarifPhysical{Artifact: sarifArtifact{uri(file)}}
	if at != nil {
		out.Region = &sarifRegion{at.Line, at.Column}
	}
	return out
}

// uri is the path of a file as a relative reference.
func uri(file string) string {
	reference := url.URL{Path: filepath.ToSlash(file)}
	return reference.String()
}
