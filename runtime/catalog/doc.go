// Package catalog keeps what a server offers (tools, prompts, resources and resource
// templates) and answers the methods that list and use it.
//
// A [Catalog] is filled with definitions and handlers, and put over the binding of each
// revision that the server speaks with [Catalog.Over]. It answers tools/list, tools/call,
// prompts/list, prompts/get, resources/list, resources/templates/list, resources/read,
// resources/subscribe, resources/unsubscribe and completion/complete; all else goes to
// the binding below. It can be changed while sessions are open, and tells them.
//
// It knows no type of any revision. A definition is the JSON object that clients see in
// the list, and goes out as it came in, but for white space between tokens: the order of
// members and the text of numbers stay. A handler returns what is written as the result;
// the types of a generated package are such values, and so is wire.Object. A handler
// that serves several revisions asks runtime.CallOf for the one that is spoken when its
// result depends on it. Or all is written for one revision, and what other revisions get
// is made of it by Options.Convert.
//
// It does not declare capabilities: that is done by runtime.ServerOptions. What is not
// declared there is not answered, and nobody is told of its changes.
//
// # Words
//
// An item is a tool, a prompt, a resource or a template; its key is the name or the URI
// by which clients refer to it. A view is what clients see of a list at a moment: it is
// rendered when the list is first asked for after a change, once for each revision where
// that makes a difference, and not again.
package catalog
