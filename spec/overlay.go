package spec

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
)

// Overlay holds the facts that schemas do not contain. Each row applies to the
// revisions of its Range. A row that changes nothing in one of them is an
// error, so that the table contains no stale rows.
type Overlay struct {
	Names        []NameRow       `yaml:"names"`
	Unions       []UnionRow      `yaml:"unions"`
	Values       []ValueRow      `yaml:"values"`
	Context      []ContextRow    `yaml:"context"`
	Results      []ResultRow     `yaml:"results"`
	Capabilities []CapabilityRow `yaml:"capabilities"`
	Headers      []HeaderRow     `yaml:"headers"`
	HTTP         []HTTPRow       `yaml:"http"`
	Enums        []EnumRow       `yaml:"enums"`
	Senders      []SenderRow     `yaml:"senders"`
	Settings     []SettingsRow   `yaml:"settings"`
	Replies      []ReplyRow      `yaml:"replies"`
	Filters      []FilterRow     `yaml:"filters"`
	Initialisms  []string        `yaml:"initialisms"`
	// Places knows the lines of the rows.
	Places `yaml:"-"`
}

// Range limits a row to the revisions from Since to Until, both included. An
// empty end is open.
type Range struct {
	Since string `yaml:"since"`
	Until string `yaml:"until"`
}

// Contains reports whether the row applies to the revision.
func (r Range) Contains(revision string) bool {
	return (r.Since == "" || revision >= r.Since) && (r.Until == "" || revision <= r.Until)
}

// NameRow names the anonymous types at the places that At matches, or the definition At, whose
// own name something else in the package has. Places with the same structure may share a name.
// In the path of a place, "*" matches any definition.
type NameRow struct {
	Range `yaml:",inline"`
	At    string `yaml:"at"`
	Name  string `yaml:"name"`
}

// UnionRow selects a variant of a union that kind, const and required members
// do not tell apart: a value is of this variant if it has the member at the
// path When.
type UnionRow struct {
	Range   `yaml:",inline"`
	Variant string `yaml:"variant"`
	When    string `yaml:"when"`
}

// ValueRow is about the string members at the place At, which is a definition and its
// member. "*" matches any definition. Value, if not empty, is their only value: generated
// code writes it if none is set, and unions are told apart by it. Absent, if not empty, is
// the value that a message without the member has.
type ValueRow struct {
	Range  `yaml:",inline"`
	At     string `yaml:"at"`
	Value  string `yaml:"value"`
	Absent string `yaml:"absent"`
}

// ContextRow names a union whose variant depends on the request, not on the
// value. Catchall is the variant that accepts every value.
type ContextRow struct {
	Range    `yaml:",inline"`
	Union    string `yaml:"union"`
	Catchall string `yaml:"catchall"`
}

// ResultRow adds an alternative result to a method. Name is the name of the
// union of both.
type ResultRow struct {
	Range  `yaml:",inline"`
	Method string `yaml:"method"`
	Also   string `yaml:"also"`
	Name   string `yaml:"name"`
}

// CapabilityRow names the capability that a method requires, as a dotted path in
// the capabilities of the side that answers the request or sends the notification.
type CapabilityRow struct {
	Range      `yaml:",inline"`
	Method     string `yaml:"method"`
	Capability string `yaml:"capability"`
}

// HeaderRow names the string member of a method's params that an HTTP request repeats in the
// header Mcp-Name.
type HeaderRow struct {
	Range  `yaml:",inline"`
	Method string `yaml:"method"`
	Param  string `yaml:"param"`
}

// HTTPRow names a header of HTTP requests.
type HTTPRow struct {
	Range  `yaml:",inline"`
	Header string `yaml:"header"`
}

// EnumRow restores the order of an enum's values, which schemas sort alphabetically.
type EnumRow struct {
	Range `yaml:",inline"`
	Enum  string   `yaml:"enum"`
	Order []string `yaml:"order"`
}

// SenderRow names the side that sends a message of an extension: client, server or both. Without a
// row, clients send the requests and servers the notifications.
type SenderRow struct {
	Range  `yaml:",inline"`
	Method string `yaml:"method"`
	By     string `yaml:"by"`
}

// SettingsRow names the definition of the value that declares an extension among the capabilities.
type SettingsRow struct {
	Range      `yaml:",inline"`
	Definition string `yaml:"definition"`
}

// ReplyRow adds a result of an extension to a method of the revision that it extends. The member
// resultType of the result has a constant value, which distinguishes it from the other results.
type ReplyRow struct {
	Range  `yaml:",inline"`
	Method string `yaml:"method"`
	Result string `yaml:"result"`
}

// FilterRow is a member of the filter of subscriptions/listen: a list of values of the member Param of the
// notifications that the client wants, or a boolean if Param is empty.
type FilterRow struct {
	Range        `yaml:",inline"`
	Member       string `yaml:"member"`
	Notification string `yaml:"notification"`
	Param        string `yaml:"param"`
}

// Row is a row of any table of an overlay.
type Row interface{ Contains(revision string) bool }

// Rows yields the rows of all tables with their places.
func (o *Overlay) Rows() iter.Seq2[string, Row] {
	return func(yield func(string, Row) bool) {
		tables := reflect.ValueOf(*o)
		for i := range tables.NumField() {
			rows, name := tables.Field(i), tables.Type().Field(i).Tag.Get("yaml")
			for k := 0; rows.Kind() == reflect.Slice && k < rows.Len(); k++ {
				if row, ok := rows.Index(k).Interface().(Row); ok && !yield(o.At(fmt.Sprintf("%s/%d", name, k)), row) {
					return
				}
			}
		}
	}
}

// Unreached returns the places of the rows whose range contains none of the revisions.
func (o *Overlay) Unreached(revisions []string) []string {
	var places []string
	for at, row := range o.Rows() {
		if !slices.ContainsFunc(revisions, row.Contains) {
			places = append(places, at)
		}
	}
	return places
}

// ParseOverlay parses an overlay file. Errors mention name.
func ParseOverlay(name string, src []byte) (*Overlay, error) {
	o := &Overlay{}
	var err error
	o.Places, err = decodeRows(name, src, o)
	return o, err
}
