package runtime

import "fmt"

// checkNotNil returns an error that names the type when the value is nil, or an interface
// with a nil pointer in it: the result of a constructor that has failed, for example.
func checkNotNil(what string, v any) error {
	if v == nil {
		return fmt.Errorf("runtime: the %s is nil", what)
	}
	if fmt.Sprintf("%p", v) == "0x0" { // what package fmt prints of nil pointers, maps and functions
		return fmt.Errorf("runtime: the %s is a nil %T", what, v)
	}
	return nil
}

// checkCapabilities returns an error for options whose capabilities are a nil pointer. Nil
// itself stands for none.
func checkCapabilities(v any) error {
	if v == nil {
		return nil
	}
	return checkNotNil("value of Capabilities in the options", v)
}
