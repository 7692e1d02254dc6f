package mcpclient

// ReadSchema is readSchema without a credential that a server could echo.
func ReadSchema(given any) (Schema, error) { return readSchema(given, redactor{}) }

// Clean makes text from outside fit to be shown: control characters other than
// line feed and tab, characters that do not show or change direction (category
// Cf, variation selectors), and what is no valid UTF-8 are taken out, and it is
// cut to at most most characters. It stays data: nothing in it is followed.
func Clean(s string, most int) string { return truncate(strip(s), most) }
