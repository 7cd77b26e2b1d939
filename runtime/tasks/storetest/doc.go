// Package storetest checks and measures implementations of tasks.Store, like testing/fstest those of
// fs.FS.
package storetest
