package page

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// revisionsView is a page with several revisions.
type revisionsView struct {
	Revisions []string
	// Meetings has a row for each revision of a server, with a cell for each revision of a
	// client.
	Meetings [][]meeting
	// Terms has what each revision says about connections.
	Terms []terms
	// Timeline has an entry for each revision, the oldest first.
	Timeline []era
	// Jumps has the comparisons of revisions that are not adjacent.
	Jumps []*comparison
	// Grid shows the revisions in which methods and definitions changed.
	Grid *grid
}

// terms are what a revision says about connections.
type terms struct {
	Revision string
	diff.Terms
}

// meeting is a server of one revision with clients of another one.
type meeting struct {
	ID, Server, Client string
	// Same means that both have the same revision.
	Same   bool
	Newer  string // "server" or "client"
	Counts counts
	// Findings are those that break or may break, the worst first.
	Findings []met
	// Pair is the comparison that has them, or nil if there is none.
	Pair *comparison
}

// Fails reports whether peers that speak only their own revisions have no way to agree on one.
func (m meeting) Fails() bool { return m.by() == diff.ByNone }

// Agrees reports whether the peers agree on a revision if one of them speaks both.
func (m meeting) Agrees() bool { return m.by() == diff.ByHandshake || m.by() == diff.ByRequest }

// by returns how the peers agree on a revision, or "" if that is not known.
func (m meeting) by() string {
	if m.Pair == nil || m.Pair.Report.Negotiation == nil {
		return ""
	}
	return m.Pair.Report.Negotiation.By
}

// Heat returns the CSS class of the cell.
func (m meeting) Heat() string {
	switch {
	case m.Fails():
		return "heat err-4"
	case m.Agrees():
		return "heat info-2"
	}
	return m.Counts.Heat()
}

// Outcome returns what becomes of the peers, in words.
func (m meeting) Outcome() string {
	switch {
	case m.Fails():
		return "fail as a whole"
	case m.Agrees():
		return "agree on a revision if one of them speaks both; else " + m.Counts.String()
	}
	return m.Counts.String()
}

// met is a finding with its level in a meeting.
type met struct {
	*finding
	Level diff.Level
}

// era is a revision with its changes.
type era struct {
	Revision string
	// Since is the comparison with the revision before; the oldest has none.
	Since *comparison
}

// grid is a table of methods and definitions by revision.
type grid struct {
	Columns []*comparison
	Groups  []gridGroup
}

type gridGroup struct {
	Title string
	Rows  []*gridRow
}

type gridRow struct {
	Name  string
	Cells []gridCell
}

type gridCell struct {
	ID, Old, New string
	Counts       counts
	// First is the URL fragment of the worst finding.
	First string
}

func newRevisionsView(order []string, list []*comparison, sources map[string]*source) *revisionsView {
	v := &revisionsView{Revisions: order}
	pairs := map[[2]string]*comparison{}
	for _, c := range list {
		pairs[[2]string{c.Old, c.New}] = c
	}
	for i, server := range order {
		var row []meeting
		for j, client := range order {
			m := meeting{ID: "server-" + slug(server) + "-client-" + slug(client), Server: server, Client: client, Same: i == j, Newer: "server"}
			m.Pair = pairs[[2]string{client, server}]
			if i < j {
				m.Newer, m.Pair = "client", pairs[[2]string{server, client}]
			}
			m.count()
			row = append(row, m)
		}
		v.Meetings = append(v.Meetings, row)
	}
	v.Grid = &grid{}
	for i, revision := range order {
		e := era{Revision: revision}
		if i > 0 {
			e.Since = pairs[[2]string{order[i-1], revision}]
		}
		if e.Since != nil {
			v.Grid.Columns = append(v.Grid.Columns, e.Since)
		}
		v.Timeline = append(v.Timeline, e)
	}
	for _, c := range list {
		if !slices.Contains(v.Grid.Columns, c) {
			v.Jumps = append(v.Jumps, c)
		}
	}
	v.Grid.fill(sources)
	v.terms(order, list)
	return v
}

// terms takes what each revision says about connections from a comparison that has it.
func (v *revisionsView) terms(order []string, list []*comparison) {
	known := map[string]diff.Terms{}
	for _, c := range list {
		if n := c.Report.Negotiation; n != nil {
			known[c.Old], known[c.New] = n.Old, n.New
		}
	}
	for _, revision := range order {
		if t, ok := known[revision]; ok {
			v.Terms = append(v.Terms, terms{revision, t})
		}
	}
}

// count counts the findings at their level if the newer side was upgraded first.
func (m *meeting) count() {
	if m.Pair == nil || m.Same {
		return
	}
	for _, f := range m.Pair.all() {
		level := f.Server
		if m.Newer == "client" {
			level = f.Client
		}
		m.Counts.add(f.Finding, level)
		if f.Accepted == nil && level.AtLeast(diff.LevelWarn) {
			m.Findings = append(m.Findings, met{f, level})
		}
	}
	slices.SortStableFunc(m.Findings, func(a, b met) int {
		switch {
		case a.Level == b.Level:
			return 0
		case a.Level.AtLeast(b.Level):
			return -1
		}
		return 1
	})
}

// fill makes the rows: the methods whose messages changed, and the definitions that changed.
func (g *grid) fill(sources map[string]*source) {
	methods, definitions := gridGroup{Title: "Methods"}, gridGroup{Title: "Definitions"}
	rows := [2]map[string]*gridRow{{}, {}}
	count := func(group int, name string, column int, f *finding) {
		r := rows[group][name]
		if r == nil {
			r = &gridRow{Name: name, Cells: make([]gridCell, len(g.Columns))}
			rows[group][name] = r
			to := &methods
			if group == 1 {
				to = &definitions
			}
			to.Rows = append(to.Rows, r)
		}
		cell := &r.Cells[column]
		c := g.Columns[column]
		cell.Old, cell.New, cell.ID = c.Old, c.New, "cell-"+slug(name)+"-"+slug(c.New)
		cell.Counts.add(f.Finding, f.Level)
		if cell.First == "" {
			cell.First = f.ID
		}
	}
	for i, c := range g.Columns {
		old, new := sources[c.Old], sources[c.New]
		known := func(name string) bool { return old.subjects[name] || new.subjects[name] }
		for _, f := range c.all() {
			carriers := map[string]bool{}
			for _, use := range append([]string{f.Subject}, f.Uses...) {
				if name := strings.TrimSuffix(use, " result"); known(name) && !carriers[name] {
					carriers[name] = true
					count(0, name, i, f)
				}
			}
			if name, isMethod := owner(f.Subject, known); !isMethod {
				count(1, name, i, f)
			}
		}
	}
	for _, group := range []gridGroup{methods, definitions} {
		slices.SortFunc(group.Rows, func(a, b *gridRow) int { return strings.Compare(a.Name, b.Name) })
		if len(group.Rows) > 0 {
			g.Groups = append(g.Groups, group)
		}
	}
}
