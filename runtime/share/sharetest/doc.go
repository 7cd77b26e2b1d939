// Package sharetest checks implementations of share.Bus and share.KV, like testing/fstest those of fs.FS.
package sharetest
