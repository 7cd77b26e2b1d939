// Package share holds what the replicas of a server share: a [Bus], which carries messages between them,
// and a [KV], which keeps small values. [Memory] is both, for the servers of one process; package
// runtime/natsmcp implements both with NATS.
//
// Package runtime announces changes of lists and resources to the other replicas through a Bus
// (ServerOptions.Bus). Package runtime/streamable lets every replica serve every session with both
// (Options.Sharing).
package share
