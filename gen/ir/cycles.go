package ir

// Box holds by pointer the required members through which a struct would
// contain itself by value.
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

// behind returns the struct a member of the type holds by value, if any.
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
