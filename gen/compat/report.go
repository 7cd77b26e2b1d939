package compat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Report is the outcome of a comparison.
type Report struct {
	// Old and New name the sides, Kind what they are: "revisions" or "tools".
	Old  string `json:"old"`
	New  string `json:"new"`
	Kind string `json:"kind" jsonschema:"enum=revisions,enum=tools"`
	// Compared says how much was looked at.
	Compared Compared `json:"compared"`
	// Findings are sorted by subject within their level, the worst first.
	Findings []*Finding `json:"findings"`
	// Warnings are about the comparison: accepted findings that have expired or
	// are of no use.
	Warnings []string `json:"warnings,omitempty"`
	// Problems are contradictions within the comparison, which are bugs of mcpgen. They
	// change no finding.
	Problems []string `json:"problems,omitempty"`
	Summary  Summary  `json:"summary"`
}

// Compared counts what both sides have. Of revisions these are methods, of tool
// lists tools.
type Compared struct {
	Subjects int `json:"subjects"`
	// Unchanged counts the subjects that no finding is about: none has the method or the
	// tool among its uses.
	Unchanged int `json:"unchanged"`
	// Changed, Added and Removed are names, sorted.
	Changed []string `json:"changed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Summary counts the findings that are not accepted, and those that are.
type Summary struct {
	Err      int `json:"err"`
	Warn     int `json:"warn"`
	Info     int `json:"info"`
	Accepted int `json:"accepted"`
}

// Finding is one change.
type Finding struct {
	Rule     string   `json:"rule"`
	Category Category `json:"category"`
	Level    Level    `json:"level"`
	Verdicts Verdicts `json:"verdicts"`
	Effect   Effect   `json:"effect"`
	// Guard is the reason why the level is less than the effect has it, and
	// Reason what the ledger says about that.
	Guard  string `json:"guard,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Direction is who sends the values: "client-to-server", "server-to-client"
	// or "both".
	Direction Direction `json:"direction"`
	// Subject is what changed: a declaration and the members below it, a method or
	// a tool.
	Subject string   `json:"subject"`
	Args    []string `json:"args,omitempty"`
	Message string   `json:"message"`
	Old     Place    `json:"old"`
	New     Place    `json:"new"`
	// Uses are the messages that carry the values, sorted.
	Uses []string `json:"uses"`
	// Witnesses prove the verdicts.
	Witnesses []Witness `json:"witnesses,omitempty"`
	// Unproven says why a verdict that is err has no witness. The level follows from the
	// rule all the same.
	Unproven string `json:"unproven,omitempty"`
	// Fingerprint tells the finding from others whatever its text.
	Fingerprint string `json:"fingerprint"`
	// Accepted says that somebody knows and why it is fine.
	Accepted *Acceptance `json:"accepted,omitempty"`
}

// Witness is a value that one side accepts and the other refuses.
type Witness struct {
	// Breaks is the order of upgrades in which the value is sent to the side that
	// refuses it: "receiver-first" or "sender-first".
	Breaks string `json:"breaks"`
	// Of says what the value is: the definition it is judged by, or a tool's
	// arguments or result.
	Of         string          `json:"of"`
	Value      json.RawMessage `json:"value"`
	AcceptedBy string          `json:"accepted_by"`
	RefusedBy  string          `json:"refused_by"`
}

// The two orders of upgrades.
const (
	ReceiverFirst = "receiver-first"
	SenderFirst   = "sender-first"
)

// Direction says who sends a value.
type Direction string

// The directions.
const (
	ToServer  Direction = "client-to-server"
	ToClient  Direction = "server-to-client"
	BothWays  Direction = "both"
	Nobodys   Direction = ""
	separator           = "\x00"
)

func (d Direction) join(other Direction) Direction {
	switch {
	case d == Nobodys || d == other:
		return other
	case other == Nobodys:
		return d
	}
	return BothWays
}

// First translates the verdicts to who is upgraded first: servers or clients.
func (f *Finding) First() (server, client Level) {
	v := f.Verdicts
	switch f.Direction {
	case ToServer:
		return v.ReceiverFirst, v.SenderFirst
	case ToClient:
		return v.SenderFirst, v.ReceiverFirst
	}
	both := worse(v.ReceiverFirst, v.SenderFirst)
	return both, both
}

// message fills the arguments into a rule's message.
func message(r Rule, args []string) string {
	var pairs []string
	for i, arg := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", arg)
	}
	return strings.NewReplacer(pairs...).Replace(r.Message)
}

// fingerprint does not depend on texts, nor on the names of the sides.
func fingerprint(kind, rule, subject string, args []string) string {
	parts := append([]string{kind, rule, subject}, args...)
	sum := sha256.Sum256([]byte(strings.Join(parts, separator)))
	return hex.EncodeToString(sum[:])[:12]
}

// sort orders findings: the worst first, then by subject.
func (r *Report) sort() {
	slices.SortFunc(r.Findings, func(a, b *Finding) int {
		if a.Level != b.Level {
			return slices.Index(levels, b.Level) - slices.Index(levels, a.Level)
		}
		for _, texts := range [][2]string{{a.Subject, b.Subject}, {a.Rule, b.Rule}, {strings.Join(a.Args, separator), strings.Join(b.Args, separator)}, {a.Old.Pointer, b.Old.Pointer}} {
			if c := strings.Compare(texts[0], texts[1]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// count fills in the summary.
func (r *Report) count() {
	r.Summary = Summary{}
	for _, f := range r.Findings {
		switch {
		case f.Accepted != nil:
			r.Summary.Accepted++
		case f.Level == LevelErr:
			r.Summary.Err++
		case f.Level == LevelWarn:
			r.Summary.Warn++
		default:
			r.Summary.Info++
		}
	}
}

// Fails reports whether a finding that nobody has accepted is at least as bad.
func (r *Report) Fails(at Level) bool {
	return slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Accepted == nil && f.Level.AtLeast(at) })
}
