package runtime

import "fmt"

// checkNotNil returns an error that names the type of v if v is nil or a nil pointer in an interface, such
// as the result of a constructor that has failed.
func checkNotNil(what string, v any) error {
	if v == nil {
		return fmt.Errorf("runtime: the %s is nil", what)
	}
	if fmt.Sprintf("%p", v) == "0x0" { // as package fmt prints nil pointers, maps and functions
		return fmt.Errorf("runtime: the %s is a nil %T", what, v)
	}
	return nil
}

// checkCapabilities returns an error if the capabilities in the options are a nil pointer. Nil itself means
// none.
func checkCapabilities(v any) error {
	if v == nil {
		return nil
	}
	return checkNotNil("value of Capabilities in the options", v)
}
