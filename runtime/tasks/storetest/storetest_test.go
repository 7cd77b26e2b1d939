package storetest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/flaws"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/storetest"
)

// known are the mistakes that a store may have, each with the test that finds it and what that reports.
var known = []flaws.Flaw{
	{"replaces", "Create", "Create of a task that exists: the error is <nil>"},
	{"forgets", "Create", `Get returns 1 {"id":"A"`},
	{"overrides", "Swap", "Swap of an old version: the error is <nil>"},
	{"renumbers", "Swap", "a refused Swap has changed the version"},
	{"shares", "Memory", "a change of the result of Get has changed the store"},
	{"wildcards", "OddIDs", `Get "*"`},
	{"shortens", "Large", "the task is not as it was stored"},
	{"hurries", "Expire", `Get "long": tasks: no such task`},
	{"mixes", "List", "the process that has created the tasks finds"},
	{"overflows", "Full", "Create in a full store: the error is <nil>"},
}

// TestFlaws checks that each flaw is found, and that a store without any passes.
func TestFlaws(t *testing.T) { flaws.Run(t, known) }

// TestFlawed tests a store with the flaw in the environment.
func TestFlawed(t *testing.T) {
	flaw := flaws.Current()
	if flaw == "" {
		return // TestFlaws runs it in a process for each flaw
	}
	storetest.Test(t, func(_ testing.TB, limit int) (one, other tasks.Store) {
		if flaw == "overflows" {
			limit = 0
		}
		s := &flawed{Memory: tasks.NewMemory(limit), flaw: flaw}
		return s, s
	})
}

// flawed is a store with a flaw.
type flawed struct {
	*tasks.Memory
	flaw   string
	shared *tasks.Record // what Get has returned first
}

func (s *flawed) Create(ctx context.Context, r *tasks.Record) error {
	c := *r
	if s.flaw == "forgets" {
		c.Answers = nil
	}
	err := s.Memory.Create(ctx, &c)
	r.Version = c.Version
	if s.flaw == "replaces" && errors.Is(err, tasks.ErrConflict) {
		return nil
	}
	return err
}

func (s *flawed) Get(ctx context.Context, id string) (*tasks.Record, error) {
	if s.flaw == "wildcards" && id == "*" {
		id = "A"
	}
	r, err := s.Memory.Get(ctx, id)
	if s.flaw == "shares" && err == nil {
		if s.shared == nil || s.shared.ID != id {
			s.shared = r
		}
		return s.shared, nil
	}
	return r, err
}

func (s *flawed) List(ctx context.Context, session string) ([]string, error) {
	ids, err := s.Memory.List(ctx, session)
	if s.flaw == "mixes" {
		ids = append(ids, "B")
	}
	return ids, err
}

func (s *flawed) Swap(ctx context.Context, r *tasks.Record) error {
	c := *r
	if s.flaw == "overrides" {
		if have, err := s.Memory.Get(ctx, r.ID); err == nil {
			c.Version = have.Version
		}
	}
	if s.flaw == "shortens" && len(c.Result) > 1000 {
		c.Result = "{}"
	}
	err := s.Memory.Swap(ctx, &c)
	if err == nil || s.flaw == "renumbers" {
		r.Version++
	}
	return err
}

func (s *flawed) Expire(ctx context.Context, now time.Time) error {
	if s.flaw == "hurries" {
		now = now.Add(2 * time.Hour)
	}
	return s.Memory.Expire(ctx, now)
}
