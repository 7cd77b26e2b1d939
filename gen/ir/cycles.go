package ir

// Box marks the required members that must be held by pointer because a struct would
// otherwise contain itself.
func Box(decls []*Decl) {
	const (
		open = iota + 1
		done
	)
	state := map[*Decl]int{}
	var visit func(d *Decl)
	visit = func(d *Decl) {
		state[d] = open
		if o, ok := d.Type.(*Object); ok {
			for _, f := range o.Fields {
				inner := behind(f.Type)
				if inner == nil || !f.Required || f.Nullable() {
					continue
				}
				switch state[inner] {
				case open:
					f.Boxed = true
				case 0:
					visit(inner)
				}
			}
		}
		state[d] = done
	}
	for _, d := range decls {
		if state[d] == 0 {
			visit(d)
		}
	}
}

// behind returns the struct that a member of the type holds by value, or nil.
func behind(t Type) *Decl {
	var last *Decl
	for {
		ref, ok := t.(*Ref)
		if !ok {
			break
		}
		last, t = ref.Decl, ref.Decl.Type
	}
	if _, ok := t.(*Object); !ok {
		return nil
	}
	return last
}
