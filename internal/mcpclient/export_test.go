package mcpclient

// ReadSchema is readSchema without a credential that a server could echo.
func ReadSchema(given any) (Schema, error) { return readSchema(given, redactor{}) }

// Clean makes foreign text fit for display. It removes control characters other than line feed and tab,
// characters that are invisible or change the direction (category Cf, variation selectors), and invalid
// UTF-8. It cuts the text to at most most characters. The text stays data: no part of it is interpreted.
func Clean(s string, most int) string { return truncate(strip(s), most) }
