package tasks

import (
	"encoding/base64"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// keeper keeps the states of the requests that are the work of tasks: they are in the store of tasks, and
// clients do not see them. It implements seal.Keeper.
type keeper struct{ server *runtime.Server }

// keptVersion begins the text of a state. That of a sealed one begins with another version.
const keptVersion = 0

func (k keeper) Keeps(server any) bool { return server == any(k.server) }

func (k keeper) Keep(content []byte) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{keptVersion}, content...))
}

func (k keeper) Open(text string) (content []byte, ok bool) {
	kept, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(kept) == 0 || kept[0] != keptVersion || strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	return kept[1:], true
}

func (k keeper) Refused() error { return errForeignState }

// errForeignState is the error for a state of the client with which a task began, if the task has gone to a
// server that does not accept it.
var errForeignState = jsonrpc.Errorf(jsonrpc.CodeInternalError, "what the client had answered before the task began has expired, or is sealed with other keys than those of this server; replicas need the same Rounds.Keys")
