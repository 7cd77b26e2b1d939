// Package execution has what the definition of a tool says of how it is run. It stands
// apart from package tasks, so that servers without tasks link none of that.
package execution

// Support says whether a tool can be called as a task; it has the values of
// execution.taskSupport in a tool's definition.
type Support string

// The values of Support. Any other counts as Forbidden ("Tool-Level Negotiation" in
// basic/utilities/tasks of 2025-11-25).
const (
	Forbidden Support = "forbidden"
	Optional  Support = "optional"
	Required  Support = "required"
)
