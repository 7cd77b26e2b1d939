// Package replicas holds tests only: replicas of a server run as processes, which are killed while they work.
package replicas
