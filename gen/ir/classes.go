package ir

import (
	"crypto/sha256"
	"fmt"
)

// Classes divides declarations into classes of equal ones, which have one name in the result: they have the same label
// and the same parts with the same comments and Go names, and refer in the same places to declarations of one class. A
// declaration whose label is "" only is another name for its type; its class is "", too.
//
// It first divides by the labels. Then it divides by the labels, the types and the classes that these refer to, until
// no class is divided again. So declarations that refer to themselves are equal if nothing distinguishes them. A label
// may depend on the classes so far.
func Classes(decls []*Decl, label func(d *Decl, class map[*Decl]string) string) map[*Decl]string {
	class := map[*Decl]string{}
	for _, d := range decls {
		class[d] = label(d, nil)
	}
	for count := 0; ; {
		next, distinct := map[*Decl]string{}, map[string]bool{}
		for _, d := range decls {
			if class[d] == "" {
				continue
			}
			text := identity(d.Type, func(d *Decl) string { return class[d] })
			next[d] = fmt.Sprintf("%x", sha256.Sum256([]byte(label(d, class)+"\n"+text)))
			distinct[next[d]] = true
		}
		class = next
		if len(distinct) == count {
			return class
		}
		count = len(distinct)
	}
}
