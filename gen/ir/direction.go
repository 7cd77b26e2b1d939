package ir

// Direction says which way the values of a declaration go. Its zero value is both.
type Direction int

// The directions. A declaration that needs only one has no code for the other.
const (
	Decoded  Direction = 1
	Encoded  Direction = 2
	BothWays           = Decoded | Encoded
)

// Decodes reports whether values are decoded.
func (d Direction) Decodes() bool { return d != Encoded }

// Encodes reports whether values are encoded.
func (d Direction) Encodes() bool { return d != Decoded }

// Reach calls f once for each declaration whose values may be part of a value of a type.
func Reach(t Type, f func(*Decl)) {
	seen := map[*Decl]bool{}
	var visit func(Type)
	visit = func(t Type) {
		Walk(t, func(t Type) {
			switch t := t.(type) {
			case *Ref:
				if !seen[t.Decl] {
					seen[t.Decl] = true
					f(t.Decl)
					visit(t.Decl.Type)
				}
			case *Union:
				for _, v := range t.Variants {
					visit(&Ref{Decl: v.Decl})
				}
			}
		})
	}
	visit(t)
}
