"""``:class:`Groups``` in any package leads to ``pulasso.Groups``, as readers of docstrings expect."""

import pulasso


def resolve(app, env, node, content):
    """Try the name as one of the public names of the library."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or target.partition(".")[0] not in pulasso.__all__:
        return None
    domain = env.get_domain("py")
    found = domain.find_obj(env, None, None, f"pulasso.{target}", node.get("reftype"), 0)
    if len(found) != 1:
        return None
    name, entry = found[0]
    from sphinx.util.nodes import make_refnode

    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)


def setup(app):
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
