"""Robot message logs ("bags"): ROS 1 bags, MCAP, and rosbag2's SQLite bags and directories.

    import kitbag

    with kitbag.open("drive.mcap") as bag:
        for message in bag.read(topics=["/imu"]):
            print(message.time, message.data.linear_acceleration.x)

        table = bag.to_numpy("/odom", ["pose.pose.position.x"])

    with kitbag.create("copy.mcap") as writer:
        writer.write("/speed", {"data": 1.5}, 10**9, type="std_msgs/msg/Float64")

docs/python.md is the guide. NumPy and pandas are imported when they are needed.
"""

from ._bag import Bag, BagInfo, Topic, TopicInfo, open
from ._catalog import (Catalog, CatalogBag, CatalogEvent, CatalogJob, CatalogJobBag, CatalogProblem,
                       CatalogTopic, FoundMoment, FoundMoments, Scanned)
from ._flow import convert, play, record
from ._kitbag import DamageWarning, Error, Message, Structure, TypeWarning
from ._kitbag import version as __version__
from ._plot import Curve, Plot, plot
from ._sensors import image, picture, points
from ._tables import Exported, export, import_tables
from ._values import as_dict
from ._writer import Writer, append, create

__all__ = ["Bag", "BagInfo", "Catalog", "CatalogBag", "CatalogEvent", "CatalogJob", "CatalogJobBag",
           "CatalogProblem", "CatalogTopic", "Curve", "DamageWarning", "Error", "Exported",
           "FoundMoment", "FoundMoments", "Message", "Plot", "Scanned", "Structure", "Topic",
           "TopicInfo", "TypeWarning", "Writer", "__version__", "append", "as_dict", "convert",
           "create", "export", "image", "import_tables", "open", "picture", "play", "plot",
           "points", "record"]
