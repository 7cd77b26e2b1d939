// Package schema validates JSON texts: it is what check functions that mcpgen
// generates from JSON Schemas call.
//
// A check function looks at the value that a [Checker] is at, reports every
// rule of its schema that the value breaks, and moves behind the value:
//
//	func checkForecast(c *schema.Checker) {
//		if !c.Object(schema.Object) {
//			return
//		}
//		var seen uint64
//		for c.Member() {
//			switch c.Name() {
//			case "city":
//				seen |= 1
//				c.MinLength(c.Value(schema.String), 1)
//			default:
//				c.Pass()
//			}
//		}
//		if seen != 1 {
//			c.Missing([]string{"city"}, seen)
//		}
//	}
//
// Validation works on the text, before it is decoded, and is exactly that of
// JSON Schema (drafts 07 and 2020-12): numbers are compared as they are written,
// beyond what an int64 or a float64 holds, lengths are in code points, and values
// are equal when they are the same JSON. What the methods are given of a schema,
// bounds and constants, is JSON text too.
//
// A value that keeps the rules is checked without allocating, but for strings
// with escapes whose meaning matters. What a value can make a schema with
// alternatives do is bounded in proportion to its length; past the bound it is
// refused. The text must be well formed, which package wire sees to when a
// message is read; with any other text the verdict means nothing.
package schema
