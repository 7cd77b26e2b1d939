package emit

import "github.com/dave/jennifer/jen"

// Comment renders a doc comment as those of this package are: wrapped, and without what
// Go source may not hold.
func Comment(text string) jen.Code { return doc(text) }
