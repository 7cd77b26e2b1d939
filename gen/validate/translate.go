package validate

func translate(source string) (string, bool) { return source, true }
