// Package natsmcp lets the replicas of a server share tasks, events and sessions through NATS. It needs version
// 2.11 or newer of the NATS server.
//
//   - [Store] is a tasks.Store: any replica answers for a task, and takes over work whose replica has died. It also
//     keeps what changes in sessions, and which states of requests were used.
//   - [Events] is a streamable.EventStore: a client resumes a stream at any replica.
//   - [Bus] is a share.Bus.
//
// Store and Events each store messages in a stream of JetStream. The first call that opens a stream creates
// it, and later calls check its settings: a stream that could lose data is refused. In a cluster, set Replicas
// to 3: the streams then remain available when one of three servers ends. A request that gets no answer meanwhile
// is repeated for up to 10 seconds, and its message is stored once.
//
// What is stored survives the end of every replica. It survives the end of a NATS server, too, and the loss of
// its power if the stream has several replicas, or the server writes each message to the disk
// (jetstream { sync_interval: always }).
//
// A program that imports the package links the client nats.go, which adds 1.8 MB to a server over HTTP, and
// 7 MB to one without HTTP and TLS. The NATS server itself is linked only by the module
// runtime/natsmcp/embedded, for programs that run their own.
package natsmcp
