package diff

const (
	variantA  = `{"type":"object","required":["kind","a"],"properties":{"kind":{"const":"a"},"a":{"type":"string"}}}`
	variantB  = `{"type":"object","required":["kind","b"],"properties":{"kind":{"const":"b"},"b":{"type":"string"}}}`
	variantB2 = `{"type":"object","required":["kind","b"],"properties":{"kind":{"const":"b"},"b":{"type":["string","null"]}}}`
	variantC  = `{"type":"object","required":["kind","c"],"properties":{"kind":{"const":"c"},"c":{"type":"string"}}}`
)

// compositeKinds are changes of schemas of arrays, and of schemas put together of others.
var compositeKinds = []kind{
	{"items retyped", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"integer"}}`, "both", ""},
	{"items wider", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":["string","integer"]}}`, "widens", ""},
	{"items closed", `{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`, "narrows", ""},
	{"minItems added", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"},"minItems":1}`, "narrows", ""},
	{"maxItems raised", `{"type":"array","maxItems":1}`, `{"type":"array","maxItems":2}`, "widens", ""},
	{"uniqueItems added", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"},"uniqueItems":true}`, "narrows", ""},
	{"uniqueItems false", `{"type":"array"}`, `{"type":"array","uniqueItems":false}`, "none", ""},
	{"uniqueItems of one", `{"type":"array","maxItems":1}`, `{"type":"array","maxItems":1,"uniqueItems":true}`, "none", ""},
	{"unique enum with its maxItems", `{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true}`, `{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true,"maxItems":2}`, "none", ""},
	{"unique enum with fewer", `{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true}`, `{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true,"maxItems":1}`, "narrows", ""},
	{"prefixItems added", `{"type":"array"}`, `{"type":"array","prefixItems":[{"type":"string"}]}`, "narrows", ""},
	{"prefixItems retyped", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`, `{"type":"array","prefixItems":[{"type":"string"},{"type":"string"}]}`, "both", ""},
	{"prefixItems closed", `{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, "narrows", ""},
	{"prefixItems closed by maxItems", `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":"array","prefixItems":[{"type":"string"}],"maxItems":1}`, "none", ""},
	{"prefixItems as items", `{"type":"array","items":{"type":"string"},"maxItems":2}`, `{"type":"array","prefixItems":[{"type":"string"},{"type":"string"}],"items":false}`, "none", ""},
	{"contains added", `{"type":"array"}`, `{"type":"array","contains":{"type":"string"}}`, "narrows", ""},
	{"contains looser", `{"type":"array","contains":{"type":"string"}}`, `{"type":"array","contains":{"type":["string","integer"]}}`, "widens", ""},
	{"contains replaced", `{"type":"array","contains":{"const":"a"}}`, `{"type":"array","contains":{"const":"b"}}`, "both", ""},
	{"minContains raised", `{"type":"array","contains":{"type":"string"}}`, `{"type":"array","contains":{"type":"string"},"minContains":2}`, "narrows", ""},
	{"minContains 0", `{"type":"array"}`, `{"type":"array","contains":{"type":"string"},"minContains":0}`, "none", ""},
	{"maxContains added", `{"type":"array","contains":{"type":"string"}}`, `{"type":"array","contains":{"type":"string"},"maxContains":2}`, "narrows", ""},
	{"maxContains lowered", `{"type":"array","contains":{"type":"string"},"maxContains":3}`, `{"type":"array","contains":{"type":"string"},"maxContains":2}`, "narrows", ""},
	{"minContains raised beside maxContains", `{"type":"array","contains":{"type":"string"},"minContains":2,"maxContains":4}`, `{"type":"array","contains":{"type":"string"},"minContains":3,"maxContains":4}`, "narrows", ""},
	{"maxContains of more", `{"type":"array","contains":{"type":"integer"},"maxContains":3}`, `{"type":"array","contains":{"type":"number"},"maxContains":2}`, "both", ""},
	{"contains narrower beside maxContains", `{"type":"array","contains":{"type":"number"},"minContains":0,"maxContains":3}`, `{"type":"array","contains":{"type":"integer"},"minContains":0,"maxContains":3}`, "widens", `[[0.5,0.5,0.5,0.5]]`},
	{"contains of items", `{"type":"array","items":{"type":"string"},"minItems":1}`, `{"type":"array","items":{"type":"string"},"minItems":1,"contains":{"type":"string"}}`, "none", ""},
	{"unevaluatedItems", `{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","prefixItems":[{"type":"string"}],"unevaluatedItems":false}`, "narrows", ""},
	{"a variant more", `{"anyOf":[` + variantA + `,` + variantB + `]}`, `{"anyOf":[` + variantA + `,` + variantB + `,` + variantC + `]}`, "widens", ""},
	{"a variant replaced", `{"oneOf":[` + variantA + `,` + variantB + `]}`, `{"oneOf":[` + variantA + `,` + variantC + `]}`, "both", ""},
	{"a variant changed", `{"oneOf":[` + variantA + `,` + variantB + `]}`, `{"oneOf":[` + variantB2 + `,` + variantA + `]}`, "widens", ""},
	{"anyOf of what is disjoint as oneOf", `{"anyOf":[` + variantA + `,` + variantB + `]}`, `{"oneOf":[` + variantB + `,` + variantA + `]}`, "none", ""},
	{"anyOf of what overlaps as oneOf", `{"anyOf":[{"type":"integer","minimum":1},{"type":"integer","maximum":5}]}`, `{"oneOf":[{"type":"integer","minimum":1},{"type":"integer","maximum":5}]}`, "narrows", ""},
	{"oneOf with a branch that overlaps", `{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `{"oneOf":[{"type":"integer"},{"type":"boolean"},{"type":"integer","minimum":5}]}`, "narrows", ""},
	{"oneOf of strings by pattern", `{"anyOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]}`, `{"oneOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]}`, "none", ""},
	{"oneOf of strings by overlapping patterns", `{"anyOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"b$"}]}`, `{"oneOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"b$"}]}`, "narrows", ""},
	{"the same branch twice", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"string"},{"type":"integer"}]}`, "none", ""},
	{"a branch within another", `{"type":"string"}`, `{"anyOf":[{"type":"string"},{"type":"string","maxLength":3}]}`, "none", ""},
	{"objects within another", `{"type":"object","properties":{"a":{"type":"string"}}}`,
		`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}]}`, "none", ""},
	{"one branch", `{"type":"string"}`, `{"anyOf":[{"type":"string"}]}`, "none", ""},
	{"type beside anyOf", `{"anyOf":[{"type":"string","minLength":1},{"type":"string","maxLength":0}]}`, `{"type":"string","anyOf":[{"minLength":1},{"maxLength":0}]}`, "none", ""},
	{"allOf distributed", `{"anyOf":[{"type":"integer","minimum":1,"maximum":5},{"type":"integer","minimum":1,"multipleOf":10}]}`, `{"type":"integer","minimum":1,"anyOf":[{"maximum":5},{"multipleOf":10}]}`, "none", ""},
	{"allOf of bounds", `{"type":"integer","minimum":1,"maximum":5}`, `{"allOf":[{"type":"integer"},{"minimum":1},{"maximum":5},{"maximum":9}]}`, "none", ""},
	{"allOf more", `{"allOf":[{"type":"string"},{"minLength":1}]}`, `{"allOf":[{"type":"string"},{"minLength":1},{"maxLength":3}]}`, "narrows", ""},
	{"split by a constant", `{"type":"object","required":["kind"],"properties":{"kind":{"enum":["a","b"]},"a":{"type":"string"}}}`,
		`{"anyOf":[{"type":"object","required":["kind"],"properties":{"kind":{"const":"a"},"a":{"type":"string"}}},{"type":"object","required":["kind"],"properties":{"kind":{"const":"b"},"a":{"type":"string"}}}]}`, "none", ""},
	{"a branch closed", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer","minimum":1}]}`, "narrows", ""},
	{"never", `{"type":"string"}`, `{"type":"string","allOf":[false]}`, "narrows", ""},
}
