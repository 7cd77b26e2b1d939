package render

import (
	"path/filepath"

	"github.com/mcpgen/mcpgen/gen/compat"
)

// The part of SARIF 2.1.0 that is written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

func (p *printer) sarif(out Output, o Options) {
	driver := sarifDriver{Name: "mcpgen"}
	for _, r := range compat.Rules() {
		driver.Rules = append(driver.Rules, sarifRule{r.ID, sarifText{r.Doc}})
	}
	run := sarifRun{Tool: sarifTool{driver}, Results: []sarifResult{}}
	for _, r := range out.Reports {
		for _, f := range r.Findings {
			run.Results = append(run.Results, result(r, f, o))
		}
	}
	p.json(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func result(r *compat.Report, f *compat.Finding, o Options) sarifResult {
	text := r.Old + " -> " + r.New + ": " + f.Subject + ": " + f.Message + " (" + verdicts(f) + ")"
	for _, w := range f.Witnesses {
		text += ". " + w.RefusedBy + " refuses " + string(w.Value)
	}
	at := sarifLocation{Logical: []sarifLogical{{f.Subject}}}
	if o.File != "" {
		at.Physical = &sarifPhysical{sarifArtifact{filepath.ToSlash(o.File)}}
	}
	out := sarifResult{
		RuleID: f.Rule, Level: map[compat.Level]string{compat.LevelErr: "error", compat.LevelWarn: "warning", compat.LevelInfo: "note"}[f.Level],
		Message: sarifText{text}, Locations: []sarifLocation{at}, Fingerprints: map[string]string{"mcpgen/v1": f.Fingerprint},
	}
	if f.Accepted != nil {
		out.Suppressions = []sarifSuppression{{"external", f.Accepted.Reason}}
	}
	return out
}
