package emit

import "github.com/dave/jennifer/jen"

// Comment renders a wrapped doc comment without the characters that Go source must not
// contain.
func Comment(text string) jen.Code { return doc(text) }
