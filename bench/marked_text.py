"""Text that a script makes and a page shows, between two marks of the script's own."""


def marks_of(script):
    return f"<!-- made by bench/{script}: begin -->", f"<!-- made by bench/{script}: end -->"


def show(text, script, page):
    """Prints `text`, or puts it between the marks of `script` in the file `page` if there is one."""
    if page is None:
        print(text)
        return
    begin, end = marks_of(script)
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(f"{before}{begin}\n\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")
