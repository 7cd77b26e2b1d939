//go:build !bootstrap

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
)

// verdict is the result for one of several revisions.
type verdict struct {
	Revision string `json:"revision"`
	Accepted bool   `json:"accepted"`
	Problems int    `json:"problems"`
	// First is the first problem.
	First *finding `json:"first,omitempty"`
}

// against reports which of the revisions accept the messages.
func (v *verifier) against(cmd *cobra.Command, list string, names []string) error {
	revisions, err := revisionsOf(list)
	if err != nil {
		return err
	}
	verdicts := make([]verdict, len(revisions))
	for i, r := range revisions {
		verdicts[i].Revision = r.ID
	}
	messages := 0
	err = v.all(cmd, names, func(cmd *cobra.Command, name string) error {
		sessions := make([]*audit.Recording, len(revisions))
		for i := range revisions {
			opts := v.opts
			opts.Revision, opts.OwnMethods = &revisions[i], true
			sessions[i] = audit.NewRecording(opts)
		}
		shown := shownName(name)
		err := v.entries(cmd, name, func(e recording.Entry) error {
			for i, s := range sessions {
				verdicts[i].add(shown, s.Entry(e))
			}
			return nil
		})
		for i, s := range sessions {
			verdicts[i].add(shown, s.Close())
		}
		messages += sessions[0].Counts().Messages
		return err
	})
	if err != nil {
		return err
	}
	if messages == 0 {
		return fmt.Errorf("%s: no messages", strings.Join(names, ", "))
	}
	accepted := false
	for _, verdict := range verdicts {
		verdict.Accepted = verdict.Problems == 0
		accepted = accepted || verdict.Accepted
		v.out.verdict(verdict)
	}
	return ended(nil, !accepted)
}

func (v *verdict) add(file string, findings []audit.Finding) {
	for _, f := range findings {
		if f.Level != audit.Must {
			continue
		}
		v.Problems++
		if v.First == nil {
			first := newFinding(file, f)
			v.First = &first
		}
	}
}

// revisionsOf returns the revisions of a comma-separated list.
func revisionsOf(list string) ([]generated.Revision, error) {
	if list == "all" {
		return generated.Revisions(), nil
	}
	var all []generated.Revision
	for id := range strings.SplitSeq(list, ",") {
		r, ok := generated.Lookup(strings.TrimSpace(id))
		if !ok {
			return nil, unknownRevision(id)
		}
		all = append(all, r)
	}
	return all, nil
}
