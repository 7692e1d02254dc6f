package connect

// Most is for tests.
var Most = maxInput
