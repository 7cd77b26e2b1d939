// Package natsmcp lets the replicas of a server share what they must through NATS, of server version 2.11 or
// newer:
//
//   - [Tasks] is a tasks.Store: any replica answers for a task, and takes over work whose replica has died.
//   - [Events] is a streamable.EventStore: a client resumes a stream at any replica.
//   - [KV] and [Bus] are a share.KV and a share.Bus.
//
// All but the bus keep their messages in streams of JetStream, which are created when they are opened first and
// checked later on: a stream with settings that would lose something is refused. In a cluster, set Replicas to
// 3: the streams then go on when one of three servers ends. A request that gets no answer for that reason is
// repeated for up to 10 seconds, and stored once.
//
// What is stored survives the end of every replica. It survives the end of a NATS server, too, and the loss of
// its power if the stream has several replicas, or the server writes each message to the disk
// (jetstream { sync_interval: always }).
//
// A program that imports the package links the client nats.go, which adds 1.8 MB to a server over HTTP, and
// 7 MB to one without HTTP and TLS. It does not require the server of NATS, which is in the module
// runtime/natsmcp/embedded for programs that want one of their own.
package natsmcp
