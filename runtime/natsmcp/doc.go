// Package natsmcp keeps what the replicas of a server share in NATS JetStream, of server version 2.11 or
// newer. So far, these are the tasks of package runtime/tasks.
//
// A program that imports the package links the client nats.go, which adds 1.8 MB to a server over HTTP, and
// 7 MB to one without HTTP and TLS. Only tests link the server of NATS.
package natsmcp
