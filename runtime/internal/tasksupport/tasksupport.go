// Package tasksupport declares the levels of task support of a tool. It is separate from package
// tasks, so that servers without tasks do not link that package.
package tasksupport

// Support declares whether a tool can be called as a task. Its values are those of
// execution.taskSupport in a tool's definition.
type Support string

// The values of Support. Any other value counts as Forbidden ("Tool-Level Negotiation" in
// basic/utilities/tasks of 2025-11-25).
const (
	Forbidden Support = "forbidden"
	Optional  Support = "optional"
	Required  Support = "required"
)
