package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/convert"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// Imported is the effect of importing an upstream file into a spec folder.
type Imported struct {
	Pin spec.Pin
	// Files holds the facts and the pins. Paths are relative to the spec folder.
	Files []files.File
	Effects
}

// Effects are what an import changes, and what it needs.
type Effects struct {
	// Against is the revision that Changes compares with: the same one if it is already
	// pinned with other facts, and otherwise the one before it, or "" if there is none.
	Against string `json:"against,omitempty"`
	// Changes lists the differences between the facts, see schema.Differences.
	Changes []string `json:"changes,omitempty"`
	// Errata lists the errata of the newest revision so far that apply to this one, too.
	// Ended lists the errata that apply although their range does not include the revision.
	Errata []string `json:"errata,omitempty"`
	Ended  []string `json:"ended,omitempty"`
	// Stale lists the rows for the revision that it does not use, which is an error when it
	// is generated: errata and, only if Needed is empty, overlay rows and doc comments.
	Stale []string `json:"stale,omitempty"`
	// Needed lists the problems that overlay rows must solve before the revision can be
	// generated.
	Needed []string `json:"needed,omitempty"`
	// Untyped lists rows for the table values of overlay.yaml: one for each result whose required resultType has no
	// constant, so that it would be written empty. They are known only if Needed is empty.
	Untyped []string `json:"untyped,omitempty"`
	// Undocumented lists the identifiers without a doc comment, as "types: Tool". They are
	// known only if Needed is empty.
	Undocumented []string `json:"undocumented,omitempty"`
	// Unbridged lists the values that are not converted to the revisions before and after this
	// one, because no row of convert.yaml says how. They are known only if Needed is empty.
	Unbridged []string `json:"unbridged,omitempty"`
}

// Import returns the facts and the pin of a revision, given an upstream file. It returns an
// error for a schema construct that the generator does not support.
func Import(s *spec.Spec, revision, commit string, upstream []byte) (*Imported, error) {
	if err := CheckRevision(revision); err != nil {
		return nil, err
	}
	if err := checkPackage(s.Revisions(), revision); err != nil {
		return nil, err
	}
	facts, err := schema.Facts(revision, upstream)
	if err != nil {
		return nil, err
	}
	after, err := schema.Parse(revision, facts, nil)
	if err != nil {
		return nil, err
	}
	out := &Imported{Pin: spec.Pin{Revision: revision, Commit: commit, SHA256: digest(upstream), Dialect: after.Dialect}}
	if err := out.compare(s, after); err != nil {
		return nil, err
	}
	if err := out.errata(s, facts); err != nil {
		return nil, err
	}
	out.lower(s, facts)
	pins := slices.DeleteFunc(slices.Clone(s.Pins), func(p spec.Pin) bool { return p.Revision == revision })
	pins = append(pins, out.Pin)
	slices.SortFunc(pins, func(a, b spec.Pin) int { return strings.Compare(a.Revision, b.Revision) })
	return out, out.pin(revision, facts, "pins.json", pins)
}

// digest returns the checksum of an upstream file.
func digest(upstream []byte) string {
	sum := sha256.Sum256(upstream)
	return hex.EncodeToString(sum[:])
}

// pin sets the files: the facts in a folder, and the pins.
func (out *Imported) pin(folder string, facts []byte, name string, pins any) error {
	text, err := json.MarshalIndent(pins, "", "  ")
	out.Files = []files.File{{Path: path.Join(folder, "schema.json"), Content: facts}, {Path: name, Content: append(text, '\n')}}
	return err
}

// compare compares the facts with those of the last import of the revision or, if they are the same,
// with those of the revision before.
func (out *Imported) compare(s *spec.Spec, after *schema.Document) error {
	candidates := slices.DeleteFunc(s.Revisions(), func(r string) bool { return r > after.Revision })
	for _, revision := range slices.Backward(candidates) {
		before, err := pinnedDocument(s, revision)
		if err != nil {
			return err
		}
		out.Against, out.Changes = revision, schema.Differences(before, after)
		if revision != after.Revision || len(out.Changes) > 0 {
			return nil
		}
	}
	return nil
}

// errata sorts the errata by whether they apply to the revision.
func (out *Imported) errata(s *spec.Spec, facts []byte) error {
	misfits, err := schema.Misfits(out.Pin.Revision, facts, s.Errata)
	if err != nil {
		return err
	}
	for i, e := range s.Errata {
		row, within := e.Where+": "+e.Pointer, e.Contains(out.Pin.Revision)
		switch {
		case misfits[i] == "" && within:
			out.Errata = append(out.Errata, row)
		case misfits[i] == "":
			out.Ended = append(out.Ended, row)
		case within:
			out.Stale = append(out.Stale, row+": "+misfits[i])
		}
	}
	return nil
}

// lower lowers the revision with the existing rows.
func (out *Imported) lower(s *spec.Spec, facts []byte) {
	lowered, err := lowerSource(s, Source{Revision: out.Pin.Revision, Schema: facts}, false)
	if err == nil {
		out.Stale = append(out.Stale, lowered.Unused...)
		out.Untyped, out.Undocumented = lower.Untyped(lowered.Revision), lowered.Undocumented
		out.amongOthers(s, lowered)
		return
	}
	for _, problem := range problems(err) {
		out.Needed = append(out.Needed, problem.Error())
	}
}

// amongOthers adds the doc comments that no revision uses any longer, and the values that are not
// converted to the revisions before and after this one.
func (out *Imported) amongOthers(s *spec.Spec, lowered *Lowered) {
	used := map[string]map[string]bool{out.Pin.Revision: lowered.UsedDocs}
	revisions := []*ir.Revision{lowered.Revision}
	for _, revision := range s.Revisions() {
		if revision == out.Pin.Revision {
			continue
		}
		other, err := LowerPinned(s, revision)
		if err != nil {
			return // it is not generated either
		}
		used[revision] = other.UsedDocs
		revisions = append(revisions, other.Revision)
	}
	for _, problem := range problems(staleDocs(s.Docs, used)) {
		out.Stale = append(out.Stale, problem.Error())
	}
	slices.SortFunc(revisions, func(a, b *ir.Revision) int { return strings.Compare(a.ID, b.ID) })
	steps, err := convert.Steps(revisions, s.Convert)
	for _, problem := range problems(err) {
		out.Needed = append(out.Needed, problem.Error())
	}
	for _, step := range steps {
		if step.Older == lowered.Revision || step.Newer == lowered.Revision {
			out.Unbridged = append(out.Unbridged, unbridged(step)...)
		}
	}
}

// problems returns the errors that an error joins.
func problems(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// VerifyFacts compares an upstream file with the pinned facts of a revision. Only the facts
// count; sameBytes reports whether the file is also byte for byte the imported one.
func VerifyFacts(s *spec.Spec, revision string, upstream []byte) (differences []string, sameBytes bool, err error) {
	pin, ok := s.Pin(revision)
	if !ok {
		_, err := PinnedSource(s, revision)
		return nil, false, err
	}
	facts, err := schema.Facts(revision, upstream)
	if err != nil {
		return nil, false, err
	}
	pinned, err := s.Schema(revision)
	if err != nil {
		return nil, false, err
	}
	sameBytes = digest(upstream) == pin.SHA256
	if string(facts) == string(pinned) {
		return nil, sameBytes, nil
	}
	before, err := pinnedDocument(s, revision)
	if err != nil {
		return nil, false, err
	}
	after, err := schema.Parse(revision, upstream, nil)
	if err != nil {
		return nil, false, err
	}
	differences = schema.Differences(before, after)
	if len(differences) == 0 {
		differences = []string{"~ the schemas are written differently but are equivalent"}
	}
	return differences, sameBytes, nil
}

func pinnedDocument(s *spec.Spec, revision string) (*schema.Document, error) {
	facts, err := s.Schema(revision)
	if err != nil {
		return nil, err
	}
	return schema.Parse(revision, facts, nil)
}
