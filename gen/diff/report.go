package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff/locate"
)

// Report is the outcome of a comparison.
type Report struct {
	// Old and New name the sides, Kind what they are: "revisions" or "tools".
	Old  string `json:"old"`
	New  string `json:"new"`
	Kind string `json:"kind" jsonschema:"enum=revisions,enum=tools"`
	// Upgrade is the order of upgrades that the levels of the findings are of.
	Upgrade Upgrade `json:"upgrade" jsonschema:"enum=server,enum=client,enum=either"`
	// Suggested is the part of a semantic version that the changes ask for.
	Suggested Version `json:"suggested" jsonschema:"enum=major,enum=minor,enum=patch,enum=none"`
	// Compared says how much was looked at.
	Compared Compared `json:"compared"`
	// Findings are sorted by subject within their level, the worst first; those
	// that are accepted come last.
	Findings []*Finding `json:"findings"`
	// Warnings are about the policy: rows that have expired or match no finding.
	Warnings []string `json:"warnings,omitempty"`
	// Skipped is what the comparison left out, or took for something else than it
	// says.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Errata lists the facts that were put right before the sides were compared.
	Errata []Corrected `json:"errata,omitempty"`
	// Problems are inconsistencies of the comparison itself. Each is a bug of
	// mcpgen and changes no finding.
	Problems []string `json:"problems,omitempty"`
	Summary  Summary  `json:"summary"`
}

// Compared counts what both sides have. Of revisions these are methods, of tool
// lists tools.
type Compared struct {
	Subjects int `json:"subjects"`
	// Unchanged subjects have the same envelope, params and result. What changed
	// in a definition that they carry is told of the definition.
	Unchanged int `json:"unchanged"`
	// Changed, Added and Removed are names, sorted.
	Changed []string `json:"changed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Summary counts the findings that are not accepted, by level, and those that
// are.
type Summary struct {
	Err      int `json:"err"`
	Warn     int `json:"warn"`
	Info     int `json:"info"`
	Accepted int `json:"accepted"`
	// Ignored findings are not in the report.
	Ignored int `json:"ignored,omitempty"`
}

// Finding is one change.
type Finding struct {
	Rule     string   `json:"rule"`
	Category Category `json:"category"`
	// Level is that of the report's order of upgrades; of "either" it is the worse
	// of the two.
	Level Level `json:"level"`
	// ServerFirst and ClientFirst say what happens in each order of upgrades.
	ServerFirst Outcome  `json:"server_first"`
	ClientFirst Outcome  `json:"client_first"`
	Verdicts    Verdicts `json:"verdicts"`
	Effect      Effect   `json:"effect"`
	// Guard is the reason why the level is less than the effect has it, and
	// Reason what the ledger says about that.
	Guard  string `json:"guard,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Direction is who sends the values: "client-to-server", "server-to-client"
	// or "both".
	Direction Direction `json:"direction"`
	// Tool is the name of the tool that changed, "" where no tool did.
	Tool string `json:"tool,omitempty"`
	// Subject is what changed: a declaration and the members below it, a method or
	// a tool.
	Subject string   `json:"subject"`
	Args    []string `json:"args,omitempty"`
	Message string   `json:"message"`
	Old     Place    `json:"old"`
	New     Place    `json:"new"`
	// OldPosition and NewPosition are where the change is in the texts of the sides:
	// the two places, or the keywords in them. They are nil where that is unknown.
	OldPosition *Position `json:"old_position,omitempty"`
	NewPosition *Position `json:"new_position,omitempty"`
	// Uses are the messages that carry the values, sorted.
	Uses []string `json:"uses"`
	// Witnesses prove the verdicts.
	Witnesses []Witness `json:"witnesses,omitempty"`
	// Unproven says why no witness was found or confirmed.
	Unproven string `json:"unproven,omitempty"`
	// Fingerprint tells the finding from others whatever its text.
	Fingerprint string `json:"fingerprint"`
	// Accepted says that the finding is known and why it is fine.
	Accepted *Acceptance `json:"accepted,omitempty"`
	// Fails says that the finding meets a condition of the policy's FailOn.
	Fails bool `json:"fails,omitempty"`
}

// Position is a place in the text of a side.
type Position = locate.Position

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

// First returns the verdicts by the side that is upgraded first. Of a value that
// is sent both ways each order has the worse one.
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
func message(r Rule, args []string) string { return fill(r.Message, args) }

// fill replaces {0} and the like by arguments, and the given pairs of a
// placeholder and a text.
func fill(template string, args []string, pairs ...string) string {
	for i, arg := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", arg)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// fingerprint does not depend on texts, nor on the names of the sides.
func fingerprint(kind, rule, subject string, args []string) string {
	parts := append([]string{kind, rule, subject}, args...)
	sum := sha256.Sum256([]byte(strings.Join(parts, separator)))
	return hex.EncodeToString(sum[:])[:12]
}

// sort orders findings: accepted ones last, the worst first, then by subject.
func (r *Report) sort() {
	slices.SortFunc(r.Findings, func(a, b *Finding) int {
		if accepted := a.Accepted != nil; accepted != (b.Accepted != nil) {
			return map[bool]int{true: 1, false: -1}[accepted]
		}
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
	r.Summary = Summary{Ignored: r.Summary.Ignored}
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

// Locate gives the findings the positions of what changed in the texts of the two
// sides. A nil text has no positions.
func (r *Report) Locate(old, new []byte) {
	rules := newRuleTable()
	var pointers [2][]string // for each finding one
	for _, f := range r.Findings {
		keyword := rules[f.Rule].Changed(f.Args)
		for i, place := range []Place{f.Old, f.New} {
			if place.Pointer != "" {
				place.Pointer += keyword
			}
			pointers[i] = append(pointers[i], place.Pointer)
		}
	}
	for i, text := range [][]byte{old, new} {
		var found map[string]Position
		if text != nil {
			found = locate.Find(text, pointers[i])
		}
		for j, f := range r.Findings {
			var position *Position
			if p, ok := found[pointers[i][j]]; ok && pointers[i][j] != "" {
				position = &p
			}
			if i == 0 {
				f.OldPosition = position
			} else {
				f.NewPosition = position
			}
		}
	}
}

// Changed returns the JSON Pointer from the places of a finding to the member that changed.
// It returns "" for the places themselves.
func (r Rule) Changed(args []string) string {
	if r.Keyword == "" {
		return ""
	}
	keyword := strings.Trim(fill(r.Keyword, args), `"`)
	return "/" + strings.ReplaceAll(keyword, ".", "/")
}
