// Package filestore keeps tasks in one file, for servers that run as one process at a time: the tasks of a
// process that has ended, or was killed, are continued by the next one.
//
// The file is a database of bbolt, which is locked while it is open. A change is on the disk before Create
// or Swap returns; changes that are made at the same time share the wait for the disk.
//
// SQLite would let several processes of one machine share the file. bbolt was chosen because it adds 0.75 MB
// to a program, and SQLite in Go (modernc.org/sqlite) 7.4 MB and six modules. For several processes there is
// runtime/natsmcp.
package filestore
