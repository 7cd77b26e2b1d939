package tasks

import (
	"encoding/base64"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// keeper keeps the states of the requests that tasks run. They are in the store of tasks, and clients do
// not see them. It implements seal.Keeper.
type keeper struct{ server *runtime.Server }

// keptVersion is the beginning of a kept state's text. The text of a sealed state begins with another
// version.
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

// errForeignState is the error for a task that began with a state of its client, and is now at a server
// that does not accept the state.
var errForeignState = jsonrpc.Errorf(jsonrpc.CodeInternalError, "the answers that the client gave before the task began have expired, or are sealed with keys that this server does not have; replicas need the same Rounds.Keys")
