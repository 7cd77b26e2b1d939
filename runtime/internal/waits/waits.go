// Package waits holds the durations in the runtime that were chosen by judgement, each with
// its reason. The defaults of documented options are not among them.
package waits

import "time"

// ListChanged is the delay between a change of a list and its notification. A program often
// makes several changes in a row; clients then request the list once.
const ListChanged = 10 * time.Millisecond
