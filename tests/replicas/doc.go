// Package replicas holds tests only: replicas of a server run as processes, which are killed while they work.
// TestChaos counts what becomes of the calls, questions and tasks of many clients, and make chaos runs it at full
// size.
package replicas
