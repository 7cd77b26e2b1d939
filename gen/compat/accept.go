package compat

import (
	"errors"
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
)

// Acceptance says that a finding is known and why it is fine.
type Acceptance struct {
	Fingerprint string `json:"-" yaml:"fingerprint"`
	Reason      string `json:"reason" yaml:"reason"`
	// Until is the last day it holds, "2026-12-31"; "" is for good.
	Until string `json:"until,omitempty" yaml:"until"`
}

// Config is the part of mcpgen.yaml that is about comparisons.
type Config struct {
	Accept []Acceptance `yaml:"accept"`
}

// ParseConfig reads the member "compat" of an mcpgen.yaml. Other members are
// not its business. Name is for errors.
func ParseConfig(name string, src []byte) (*Config, error) {
	var file map[string]any
	if err := yaml.Unmarshal(src, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if file["compat"] == nil {
		return &Config{}, nil
	}
	part, err := yaml.Marshal(file["compat"])
	if err != nil {
		return nil, fmt.Errorf("%s: compat: %w", name, err)
	}
	var c Config
	if err := yaml.UnmarshalWithOptions(part, &c, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: compat: %w", name, err)
	}
	var errs []error
	for i, a := range c.Accept {
		fail := func(problem string) {
			errs = append(errs, fmt.Errorf("%s: compat: accept: row %d (%s): %s", name, i+1, a.Fingerprint, problem))
		}
		if a.Fingerprint == "" {
			fail("has no fingerprint")
		}
		if a.Reason == "" {
			fail("has no reason")
		}
		if _, err := time.Parse(time.DateOnly, a.Until); a.Until != "" && err != nil {
			fail(fmt.Sprintf("until is no date such as 2026-12-31: %q", a.Until))
		}
	}
	return &c, errors.Join(errs...)
}

// Accept marks the findings that are accepted on a day, and warns of rows that
// have expired or that are about no finding.
func (r *Report) Accept(rows []Acceptance, today time.Time) {
	day := today.Format(time.DateOnly)
	for _, row := range rows {
		known := false
		for _, f := range r.Findings {
			if f.Fingerprint != row.Fingerprint {
				continue
			}
			known = true
			if row.Until != "" && row.Until < day {
				r.Warnings = append(r.Warnings, fmt.Sprintf("the acceptance of %s (%s at %s) expired on %s", row.Fingerprint, f.Rule, f.Subject, row.Until))
				continue
			}
			f.Accepted = &row
		}
		if !known {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is accepted and is no finding: %s", row.Fingerprint, row.Reason))
		}
	}
	r.count()
}
